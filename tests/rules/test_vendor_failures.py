"""Where the vendor's tool breaks a program or says nothing, all rules together do what is right."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from ascendify.findings import Status
from ascendify.migrate import check, migrate
from ascendify.migrate.settings import load
from ascendify.reports.model import FileAction, Report
from ascendify.rules.site import Facts
from support.commands import ascendify
from support.rewriting import Rewritten
from support.rule_cases import Case, run

SESSION = "import tensorflow as tf\n\nwith tf.Session() as sess:\n    sess.run(step)\n"
SESSION_AFTER = (
    "import tensorflow as tf\n"
    "from npu_bridge.npu_init import npu_config_proto\n"
    "\n"
    "with tf.Session(config=npu_config_proto()) as sess:\n"
    "    sess.run(step)\n"
)
HOROVOD = "import horovod.tensorflow as hvd\n\nhvd.init()\nprint(hvd.rank())\n"
HOROVOD_AFTER = (
    "import atexit\n"
    "from hccl.manage.api import get_rank_id\n"
    "from npu_bridge.npu_init import close_session, init_resource, shutdown_resource\n"
    "\n"
    "npu_sess, npu_shutdown = init_resource()\n"
    "atexit.register(close_session, npu_sess)\n"
    "atexit.register(shutdown_resource, npu_sess, npu_shutdown)\n"
    "print(get_rank_id())\n"
)


def text(source: str) -> str:
    """A program written at the indentation of the test around it."""
    return dedent(source).lstrip("\n")


def migrated(source: str, distributed: str = "none") -> Rewritten:
    """One entry point after all rules."""
    facts = Facts(entry_points=frozenset({"main.py"}), distributed=distributed)
    return run(Case("ALL", "", text(source), facts=facts))


def summaries(outcome: Rewritten) -> list[str]:
    """Line, rule and status of every finding, in the order of the program."""
    rows = sorted(outcome.findings, key=lambda item: (item.span, item.code))
    return [f"{item.span.line} {item.code} {item.status.value}" for item in rows]


def write(root: Path, **files: str | bytes) -> Path:
    """A project; ``train_py`` names the file train.py."""
    root.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        path = root / ".".join(name.rsplit("_", 1))
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


def migrated_project(tmp_path: Path, framework: str | None = None, **files: str | bytes) -> Report:
    """The report on a project whose result is in ``out``."""
    project = write(tmp_path / "in", **files)
    return migrate(load(project, output=tmp_path / "out", jobs=1, framework=framework))


def python(*args: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """A process of this interpreter that nobody answers questions to."""
    return subprocess.run(
        (sys.executable, *map(str, args)),
        env={**os.environ, "NO_COLOR": "1", "PYTHONIOENCODING": "utf-8", **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )


def read(path: Path) -> str:
    return path.read_bytes().decode()


# what the program computes


def test_dropout_keeps_its_probability() -> None:
    outcome = migrated("""
        import tensorflow as tf

        a = tf.nn.dropout(x, rate=1 - keep)
        b = tf.nn.dropout(x, rate=0.5 if train else 0.0)
        c = tf.nn.dropout(x, rate=1 - keep if train else 0.0)
        d = tf.nn.dropout(x, keep_prob=keep)
    """)
    assert outcome.after == text("""
        import tensorflow as tf
        from npu_bridge.estimator import npu_ops

        a = npu_ops.dropout(x, keep_prob=keep)
        b = npu_ops.dropout(x, keep_prob=1 - (0.5 if train else 0.0))
        c = npu_ops.dropout(x, keep_prob=1 - (1 - keep if train else 0.0))
        d = npu_ops.dropout(x, keep_prob=keep)
    """)


def test_only_what_computes_gelu_becomes_gelu() -> None:
    outcome = migrated('''
        import math
        import tensorflow as tf


        def gelu(x):
            """Tanh form."""
            return 0.5 * x * (1 + tf.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * tf.pow(x, 3))))


        class Layer:
            def gelu(self, x):
                """Named so, and something else."""
                return self.scale * tf.nn.relu(x)


        def quick_gelu(x):
            return x * tf.sigmoid(1.702 * x)
    ''')
    assert outcome.after == text('''
        import math
        import tensorflow as tf
        from npu_bridge.estimator.npu_unary_ops import npu_unary_ops


        def gelu(x):
            """Tanh form."""
            return npu_unary_ops.gelu(x)


        class Layer:
            def gelu(self, x):
                """Named so, and something else."""
                return self.scale * tf.nn.relu(x)


        def quick_gelu(x):
            return x * tf.sigmoid(1.702 * x)
    ''')


def test_only_datasets_drop_the_remainder_and_only_once() -> None:
    outcome = migrated("""
        import tensorflow as tf


        class Plots:
            def batch(self, size):
                return size


        Plots().batch(8)
        unknown.batch(8)
        data = tf.data.Dataset.range(10)
        a = data.batch(8, True)
        b = data.batch(8, False)
        c = data.batch(batch_size=8)
        d = data.padded_batch(8, [3], 0, False)
    """)
    assert outcome.after.splitlines()[8:] == [
        "Plots().batch(8)",
        "unknown.batch(8)",
        "data = tf.data.Dataset.range(10)",
        "a = data.batch(8, True)",
        "b = data.batch(8, True)",
        "c = data.batch(batch_size=8, drop_remainder=True)",
        "d = data.padded_batch(8, [3], 0, True)",
    ]
    assert summaries(outcome) == [
        "10 TF1-DATA-1 manual",
        "13 TF1-DATA-1 auto-check",
        "14 TF1-DATA-1 auto-check",
        "15 TF1-DATA-1 auto-check",
    ]
    assert [item.possible for item in outcome.findings] == [True, False, False, False]


def test_shards_of_the_user_stay_and_the_report_says_what_was_done() -> None:
    outcome = migrated(
        """
        import horovod.tensorflow as hvd
        import tensorflow as tf

        hvd.init()


        def train_of_readers():
            data = tf.data.TFRecordDataset(files).shard(readers, reader)
            return data.shuffle(10)


        def train_of_ranks():
            data = tf.data.TFRecordDataset(files).shard(hvd.size(), hvd.rank())
            return data.shuffle(10)


        def train_of_all():
            data = tf.data.TFRecordDataset(files)
            return data.shuffle(10)
        """,
        distributed="horovod",
    )
    assert [line.strip() for line in outcome.after.splitlines() if "data = " in line] == [
        "data = tf.data.TFRecordDataset(files).shard(readers, reader)",
        "data = tf.data.TFRecordDataset(files).shard(get_rank_size(), get_rank_id())",
        "data = tf.data.TFRecordDataset(files).shard(get_rank_size(), get_rank_id())",
    ]
    assert [
        (item.span.line, item.done)
        for item in sorted(outcome.findings, key=lambda item: item.span)
        if item.span.line > 4
    ] == [
        (13, "Replaced hvd.size() by get_rank_size()."),
        (13, "Replaced hvd.rank() by get_rank_id()."),
        (18, "Inserted .shard() with the number of devices and the rank of this one."),
    ]


def test_a_positional_config_of_an_estimator_is_given_once() -> None:
    outcome = migrated("""
        import tensorflow as tf

        config = tf.estimator.RunConfig("out", None, 50, 100)
        estimator = tf.estimator.Estimator(fn, "out", config, params)
        other = tf.estimator.Estimator(fn, "out", unknown)
    """)
    lines = outcome.after.splitlines()
    assert lines[-2:] == [
        'estimator = NPUEstimator(model_fn=fn, model_dir="out", config=config, params=params)',
        'other = tf.estimator.Estimator(fn, "out", npu_run_config_init(run_config=unknown))',
    ]
    assert 'config = NPURunConfig(model_dir="out",' in outcome.after


def test_monitored_and_managed_sessions_get_the_npu_configuration() -> None:
    outcome = migrated("""
        import tensorflow as tf

        with tf.train.MonitoredTrainingSession(hooks=hooks) as sess:
            sess.run(step)
        supervisor = tf.train.Supervisor(logdir="out")
        with supervisor.managed_session("", config) as sess:
            sess.run(step)
    """)
    assert outcome.after == text("""
        import tensorflow as tf
        from npu_bridge.npu_init import npu_config_proto

        with tf.train.MonitoredTrainingSession(hooks=hooks, config=npu_config_proto()) as sess:
            sess.run(step)
        supervisor = tf.train.Supervisor(logdir="out")
        with supervisor.managed_session("", npu_config_proto(config_proto=config)) as sess:
            sess.run(step)
    """)


def test_horovod_goes_alone_and_only_when_nothing_needs_it() -> None:
    source = """
        import os, json, horovod.tensorflow as hvd

        hvd.init()
        print(os.getcwd(), json.dumps(hvd.size()))
    """
    assert migrated(source, distributed="horovod").after == text("""
        import atexit
        import os, json
        from hccl.manage.api import get_rank_size
        from npu_bridge.npu_init import close_session, init_resource, shutdown_resource

        npu_sess, npu_shutdown = init_resource()
        atexit.register(close_session, npu_sess)
        atexit.register(shutdown_resource, npu_sess, npu_shutdown)
        print(os.getcwd(), json.dumps(get_rank_size()))
    """)
    outcome = migrated(source + "    print(hvd.mpi_enabled())\n", distributed="horovod")
    assert "import os, json, horovod.tensorflow as hvd\n" in outcome.after
    assert outcome.after.endswith("print(hvd.mpi_enabled())\n")
    assert summaries(outcome) == [
        "1 TF1-HVD-1 manual",
        "3 TF1-HVD-2 auto",
        "4 TF1-HVD-3 auto",
        "5 TF1-HVD-9 manual",
    ]


def test_the_shutdown_runs_although_app_run_never_returns() -> None:
    outcome = migrated(
        """
        import horovod.tensorflow as hvd
        import tensorflow as tf


        def main(argv):
            hvd.init()
            train()


        if __name__ == "__main__":
            tf.app.run()
        """,
        distributed="horovod",
    )
    assert outcome.after == text("""
        import atexit
        import tensorflow as tf
        from npu_bridge.npu_init import close_session, init_resource, shutdown_resource


        def main(argv):
            npu_sess, npu_shutdown = init_resource()
            atexit.register(close_session, npu_sess)
            atexit.register(shutdown_resource, npu_sess, npu_shutdown)
            train()


        if __name__ == "__main__":
            tf.app.run()
    """)


def test_devices_under_every_name_of_tensorflow_and_towers_are_understood() -> None:
    outcome = migrated("""
        import tensorflow
        import tensorflow.compat.v1 as tf1
        from tensorflow import device

        with tensorflow.device("/gpu:0"):
            a = f()
        with tf1.device("/gpu:0"):
            b = f()
        with device("/gpu:1"):
            c = f()
        optimizer = tf1.train.AdamOptimizer(0.1)
        grads = []
        for i in range(2):
            with tf1.device("/gpu:%d" % i):
                grads.append(optimizer.compute_gradients(loss(i)))
    """)
    assert outcome.after == text("""
        import tensorflow
        import tensorflow.compat.v1 as tf1
        from tensorflow import device

        a = f()
        b = f()
        c = f()
        optimizer = tf1.train.AdamOptimizer(0.1)
        grads = []
        for i in range(1):
            with tf1.device("/gpu:%d" % i):
                grads.append(optimizer.compute_gradients(loss(i)))
    """)
    assert summaries(outcome) == [
        "5 TF1-DEV-1 auto",
        "7 TF1-DEV-1 auto",
        "9 TF1-DEV-1 auto",
        "13 TF1-TOWER-1 auto-check",
        "14 TF1-DEV-1 info",
    ]


def test_imports_come_by_name_where_needed_after_docstring_and_future() -> None:
    outcome = migrated('''
        #!/usr/bin/env python
        """Trains."""

        from __future__ import print_function

        import tensorflow as tf

        with tf.Session() as sess:
            sess.run(step)
    ''')
    assert outcome.after == text('''
        #!/usr/bin/env python
        """Trains."""

        from __future__ import print_function

        import tensorflow as tf
        from npu_bridge.npu_init import npu_config_proto

        with tf.Session(config=npu_config_proto()) as sess:
            sess.run(step)
    ''')
    assert not migrated("import tensorflow as tf\n\nx = tf.constant(1.0)\n").changed


def test_strategies_wrap_optimizers_and_nothing_that_is_only_named_so() -> None:
    outcome = migrated(
        """
        import tensorflow as tf

        strategy = tf.distribute.MirroredStrategy()
        settings = AdamOptimizerSettings(0.1)
        name = "tf.train.AdamOptimizer(0.1)"
        with strategy.scope():
            optimizer = tf.train.AdamOptimizer(0.1)
            step = optimizer.minimize(loss)
        """,
        distributed="tf_strategy",
    )
    assert outcome.after == text("""
        import tensorflow as tf
        from npu_bridge.npu_init import npu_distributed_optimizer_wrapper

        settings = AdamOptimizerSettings(0.1)
        name = "tf.train.AdamOptimizer(0.1)"
        optimizer = npu_distributed_optimizer_wrapper(tf.train.AdamOptimizer(0.1))
        step = optimizer.minimize(loss)
    """)


def test_loss_scaling_moves_to_the_npu_with_its_constants() -> None:
    outcome = migrated("""
        import tensorflow as tf
        from tensorflow.contrib import mixed_precision as mp

        manager = mp.ExponentialUpdateLossScaleManager(2**15, 1000, 3, 4, 0.25)
        a = mp.LossScaleOptimizer(inner, manager)
        scale = tf.train.experimental.DynamicLossScale(1024, increment_period=500, multiplier=4.0)
        b = tf.train.experimental.MixedPrecisionLossScaleOptimizer(inner, scale)
    """)
    assert outcome.after.splitlines()[5:] == [
        "manager = ExponentialUpdateLossScaleManager(2**15, 1000, 3, 4, 0.25)",
        "a = NPULossScaleOptimizer(inner, manager)",
        "scale = ExponentialUpdateLossScaleManager(init_loss_scale=1024, incr_every_n_steps=500, "
        "decr_every_n_nan_or_inf=1, incr_ratio=4.0, decr_ratio=0.25)",
        "b = NPULossScaleOptimizer(inner, scale)",
    ]


# how the tool behaves


def test_nothing_is_asked_where_nobody_can_answer(tmp_path: Path) -> None:
    project = write(tmp_path / "in", a_py=HOROVOD, b_py=SESSION, c_py=SESSION)
    result = ascendify("migrate", project, "-o", tmp_path / "out", "-j", "1")
    assert (result.returncode, result.stderr) == (0, "")
    assert read(tmp_path / "out" / "a.py") == HOROVOD_AFTER
    assert read(tmp_path / "out" / "b.py") == SESSION_AFTER


def test_a_file_that_cannot_be_read_costs_no_other_file(tmp_path: Path) -> None:
    python2 = b"import tensorflow as tf\nprint 'step'\n"
    undeclared = b"import tensorflow as tf\nname = '\xd1\xb5\xc1\xb7'\n"
    report = migrated_project(tmp_path, a_py=python2, b_py=undeclared, c_py=SESSION)
    entries = {entry.path: entry for entry in report.files}
    assert [(path, entry.action) for path, entry in sorted(entries.items())] == [
        ("a.py", FileAction.UNREADABLE),
        ("b.py", FileAction.UNREADABLE),
        ("c.py", FileAction.CHANGED),
    ]
    assert [(entries[path].line, bool(entries[path].reason)) for path in ("a.py", "b.py")] == [
        (2, True),
        (2, True),
    ]
    out = tmp_path / "out"
    assert (out / "a.py").read_bytes() == python2
    assert (out / "b.py").read_bytes() == undeclared
    assert read(out / "c.py") == SESSION_AFTER


WALRUS = "if (size := count()) > 1:\n    sess = None\n"
MATCH = "match mode:\n    case 'train':\n        fit()\n"


@pytest.mark.parametrize(
    "syntax",
    [
        pytest.param(WALRUS, id="walrus"),
        pytest.param(
            MATCH,
            id="match",
            marks=pytest.mark.skipif(
                sys.version_info < (3, 10), reason="the parser of this Python does not know match"
            ),
        ),
    ],
)
def test_files_with_newer_syntax_are_migrated(tmp_path: Path, syntax: str) -> None:
    report = migrated_project(tmp_path, train_py=SESSION + syntax)
    assert [entry.action for entry in report.files] == [FileAction.CHANGED]
    assert read(tmp_path / "out" / "train.py") == SESSION_AFTER + syntax


def test_pandas_is_never_imported(tmp_path: Path) -> None:
    project = write(tmp_path / "in", train_py=SESSION)
    installed = write(tmp_path / "site", pandas_py="__version__ = '2.0.0'\n")
    program = (
        "import sys; from ascendify.cli import main; code = main(sys.argv[1:]); "
        "sys.exit(3 if 'pandas' in sys.modules else code)"
    )
    arguments = (project, "-o", tmp_path / "out", "-r", tmp_path / "report", "-j", "1")
    path = os.pathsep.join(filter(None, (str(installed), os.environ.get("PYTHONPATH"))))
    result = python("-c", program, "migrate", *arguments, PYTHONPATH=path)
    assert (result.returncode, result.stderr) == (0, "")
    assert read(tmp_path / "out" / "train.py") == SESSION_AFTER
    assert (tmp_path / "report" / "report.json").is_file()


@pytest.mark.parametrize(
    "option", ["--distributed=horovod", "--distributed_mode=horovod", "-dhorovod"]
)
def test_the_distributed_mode_is_taken_in_every_spelling(tmp_path: Path, option: str) -> None:
    project = write(tmp_path / "in", train_py=HOROVOD)
    arguments = (project, "-o", tmp_path / "out", "-j", "1")
    result = ascendify("migrate", *arguments, option)
    assert (result.returncode, result.stderr) == (0, "")
    assert read(tmp_path / "out" / "train.py") == HOROVOD_AFTER


_COUNT_OPENED = """
import collections, json, pathlib, sys
from ascendify.cli import main
opened = collections.Counter()
def note(event, arguments):
    if event == "open" and str(arguments[0]).endswith(".json"):
        opened[pathlib.Path(str(arguments[0])).name] += 1
sys.addaudithook(note)
main(["migrate", *sys.argv[1:], "-q", "-j", "1"])
print(json.dumps(opened))
"""


def test_the_tables_are_read_once_however_many_files_there_are(tmp_path: Path) -> None:
    def opened(files: int) -> dict[str, int]:
        names = {f"train{number}_py": SESSION for number in range(files)}
        project = write(tmp_path / f"in{files}", **names)
        output = tmp_path / f"out{files}"
        result = python("-c", _COUNT_OPENED, project, "-o", output)
        assert len(list(output.glob("*.py"))) == files, result.stderr
        return dict(json.loads(result.stdout.splitlines()[-1]))

    many = opened(25)
    assert many["support-tf1.json"] == 1
    assert set(many.values()) == {1}
    assert many == opened(1)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
@pytest.mark.parametrize("mode", [0o755, 0o644, 0o600])
def test_files_keep_their_modes(tmp_path: Path, mode: int) -> None:
    script = "#!/bin/bash\npython train.py\n"
    project = write(tmp_path / "in", run_sh=script, train_py=SESSION, notes_txt="read me\n")
    for path in project.iterdir():
        path.chmod(mode)
    migrate(load(project, output=tmp_path / "out", jobs=1))
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "out").iterdir()}
    assert modes == {"run.sh": mode, "train.py": mode, "notes.txt": mode}
    assert read(tmp_path / "out" / "train.py") == SESSION_AFTER


def test_machines_can_read_every_use_of_an_api(tmp_path: Path) -> None:
    source = text("""
        import functools
        import tensorflow as tf
        from tensorflow.nn import softmax as normalise


        @tf.custom_gradient
        def f(x):
            return normalise(x), g


        class Net(tf.keras.Model):
            activation = tf.nn.relu


        dense = functools.partial(tf.layers.dense, units=4)
    """)
    project = write(tmp_path / "in", model_py=source)

    def reported(format_: str) -> dict[str, Any]:
        result = ascendify("check", project, "--output-format", format_, "-j", "1")
        assert re.search("[\u4e00-\u9fff]", result.stdout) is None
        return dict(json.loads(result.stdout))

    apis = reported("json")["apis"]
    assert {use["api"]: [place["line"] for place in use["places"]] for use in apis} == {
        "tf.custom_gradient": [6],
        "tf.keras.Model": [11],
        "tf.layers.dense": [15],
        "tf.nn.relu": [12],
        "tf.nn.softmax": [8],
    }
    assert reported("sarif")["runs"][0]["tool"]["driver"]["name"] == "ascendify"


# what the report says


@pytest.mark.parametrize("api", ["tf.nn.ctc_loss", "tf.accumulate_n", "tf.signal.hann_window"])
def test_an_api_whose_remark_says_it_fails_is_not_called_supported(
    tmp_path: Path, api: str
) -> None:
    project = write(tmp_path / "in", model_py=f"import tensorflow as tf\n\nx = {api}(a, b, c)\n")
    (use,) = check(load(project, jobs=1)).apis
    assert (use.api, use.vendor, use.support) == (api, "supported", "manual")
    assert use.note.startswith("The vendor's remark says the call fails on an NPU as it stands.")
    assert use.needs_care


def test_new_names_never_take_the_place_of_the_users() -> None:
    outcome = migrated(
        """
        import horovod.tensorflow as hvd
        import tensorflow as tf

        npu_sess = load()


        def check_available_gpus():
            return npu_sess


        def main():
            npu_config_proto = check_available_gpus()
            hvd.init()
            with tf.Session() as sess:
                sess.run(npu_config_proto)
        """,
        distributed="horovod",
    )
    assert outcome.after == text("""
        import atexit
        import tensorflow as tf
        from npu_bridge.npu_init import (
            close_session, init_resource, npu_config_proto as npu_config_proto_2, shutdown_resource)

        npu_sess = load()


        def check_available_gpus():
            return npu_sess


        def main():
            npu_config_proto = check_available_gpus()
            npu_sess_2, npu_shutdown = init_resource()
            atexit.register(close_session, npu_sess_2)
            atexit.register(shutdown_resource, npu_sess_2, npu_shutdown)
            with tf.Session(config=npu_config_proto_2()) as sess:
                sess.run(npu_config_proto)
    """)
    keras = migrated("""
        import tensorflow as tf

        npu_keras_sess = load()
        model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
        model.compile("adam", "mse")
        model.fit(x, y, batch_size=8)
        print(npu_keras_sess)
    """)
    assert keras.after.splitlines()[4:7] == [
        "npu_keras_sess = load()",
        "npu_keras_sess_2 = set_keras_session_npu_config()",
        "atexit.register(npu_keras_sess_2.close)",
    ]
    assert keras.after.endswith("print(npu_keras_sess)\n")


def test_only_the_file_that_trains_sets_a_session_for_keras(tmp_path: Path) -> None:
    model = text('''
        """A model of keras."""

        import tensorflow as tf


        def build():
            model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
            model.compile("adam", "mse")
            return model
    ''')
    train = text("""
        from model import build

        net = build()
        net.fit(x, y, batch_size=8)
    """)
    report = migrated_project(tmp_path, "tf1", model_py=model, train_py=train)
    assert {entry.path: entry.action for entry in report.files} == {
        "model.py": FileAction.UNCHANGED,
        "train.py": FileAction.CHANGED,
    }
    assert read(tmp_path / "out" / "train.py") == text("""
        import atexit
        from model import build
        from npu_bridge.npu_init import set_keras_session_npu_config

        npu_keras_sess = set_keras_session_npu_config()
        atexit.register(npu_keras_sess.close)
        net = build()
        net.fit(x, y, batch_size=8)
    """)


def test_guards_that_ask_for_a_gpu_do_not_stop_the_program() -> None:
    outcome = migrated("""
        import tensorflow as tf

        gpus = tf.config.experimental.list_physical_devices("GPU")
        assert len(gpus) > 0, "no GPU"
        assert tf.test.is_gpu_available()
        if not tf.test.is_gpu_available():
            raise SystemExit("no GPU")
        assert len(batches) > 0
        print(gpus)
    """)
    assert outcome.after == text("""
        import tensorflow as tf

        gpus = tf.config.experimental.list_physical_devices("GPU")
        assert len(batches) > 0
        print(gpus)
    """)
    guards = [row for row in summaries(outcome) if "TF1-GPU-5" in row]
    assert guards == ["4 TF1-GPU-5 auto", "5 TF1-GPU-5 auto", "6 TF1-GPU-5 auto"]


def test_everything_a_text_recogniser_needs_is_found(tmp_path: Path) -> None:
    train = text("""
        import tensorflow as tf

        phase = tf.placeholder(tf.string, [], name="phase")
        training = tf.equal(phase, tf.constant("train", dtype=tf.string))
        sample = tf.parse_single_example(record, {"labels": tf.VarLenFeature(tf.int64)})
        loss = tf.nn.ctc_loss(sample["labels"], logits, lengths)
        optimizer = tf.train.MomentumOptimizer(0.1, 0.9)
        grads = []
        for i in range(2):
            with tf.device("/gpu:{:d}".format(i)):
                grads.append(optimizer.compute_gradients(tower_loss(i)))
    """)
    script = "#!/bin/bash\nCUDA_VISIBLE_DEVICES=0,1 python train.py\n"
    project = write(tmp_path / "in", train_py=train, run_sh=script)
    findings = check(load(project, jobs=1)).findings
    done = {(item.span.line, item.code) for item in findings if item.status is Status.AUTO}
    assert {(3, "TF1-TYPE-2"), (4, "TF1-TYPE-2"), (6, "TF1-OP-4")} <= done
    left = {
        (item.path, item.span.line, item.code, item.status.value): item.todo
        for item in findings
        if item.todo
    }
    advice = {
        ("run.sh", 2, "SH-CUDA-1", "manual"): "RANK_TABLE_FILE=<rank table>",
        ("train.py", 5, "TF1-DATA-3", "info"): "make it dense in the input pipeline",
        ("train.py", 9, "TF1-TOWER-1", "auto-check"): "Start one process per device",
    }
    assert sorted(left) == sorted(advice)
    assert [place for place, words in advice.items() if words not in left[place]] == []
