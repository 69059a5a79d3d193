"""Which TensorFlow a file and a project are written for, and why."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from ascendify.catalog.knowledge import CatalogKnowledge
from ascendify.catalog.tensorflow_releases import TF1, TF2
from ascendify.errors import UsageError
from ascendify.migrate import tensorflow_evidence
from ascendify.migrate.discovery import files
from ascendify.migrate.pipeline import check, migrate
from ascendify.migrate.settings import load
from ascendify.migrate.survey import Survey, survey
from ascendify.reports.model import Report
from ascendify.source.inference.resolver import Resolver
from ascendify.source.module import Module
from ascendify.source.project import Project
from ascendify.source.text import SourceText

GRAPH = "import tensorflow as tf\nsess = tf.Session()\nx = tf.placeholder(tf.float32)\n"
EAGER = "import tensorflow as tf\ngpus = tf.config.list_physical_devices('GPU')\n"
NEUTRAL = "import tensorflow as tf\n\ndef mean(x):\n    return tf.reduce_mean(x)\n"
COMPAT = "import tensorflow.compat.v1 as tf\ntf.disable_v2_behavior()\nsess = tf.Session()\n"


def project(root: Path, contents: dict[str, str]) -> Path:
    for name, content in contents.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content, encoding="utf-8")
    return root


def surveyed(root: Path, contents: dict[str, str], framework: str | None = None) -> Survey:
    settings = load(project(root, contents), framework=framework)
    return survey(settings, files(settings))


def report(root: Path, contents: dict[str, str], framework: str | None = None) -> Report:
    return check(load(project(root, contents), jobs=1, framework=framework))


OWN = {
    "a session": (GRAPH, TF1),
    "contrib": ("import tensorflow as tf\nslim = tf.contrib.slim\n", TF1),
    "contrib by its module": ("import tensorflow.contrib.slim as slim\n", TF1),
    "contrib from": ("from tensorflow.contrib import slim\n", TF1),
    "an alias": ("import tensorflow as flow\nflow.placeholder(flow.float32)\n", TF1),
    "no alias": ("import tensorflow\ntensorflow.Session()\n", TF1),
    "a module from": ("from tensorflow import train\ntrain.AdamOptimizer(1)\n", TF1),
    "eager in TensorFlow 1": ("import tensorflow as tf\ntf.enable_eager_execution()\n", TF1),
    "after a look at the version": (
        "import tensorflow as tf\nif tf.__version__.startswith('1.'):\n"
        "    tf.enable_eager_execution()\n\ntf.config.list_physical_devices('GPU')\n",
        TF2,
    ),
    "physical devices": (EAGER, TF2),
    "compat.v2 in its place": ("import tensorflow.compat.v2 as tf\n", TF2),
    "compat.v2 from": ("from tensorflow.compat import v2 as tf\n", TF2),
    "a constant": ("import tensorflow as tf\nds.prefetch(tf.data.AUTOTUNE)\n", TF2),
    "a name from": (
        "from tensorflow.keras.layers import (\n    MultiHeadAttention,\n)\n",
        TF2,
    ),
    "addons": ("import tensorflow_addons as tfa\nimport tensorflow as tf\n", TF2),
    "Keras 3": ("import keras\nkeras.ops.matmul(a, b)\n", TF2),
    "the NPU's adapter": ("import npu_device as npu\nimport tensorflow as tf\n", TF2),
    "more of one": (
        "import tensorflow as tf\nif old:\n    tf.Session()\ntf.optimizers.Adam()\n"
        "tf.random.set_seed(1)\n",
        TF2,
    ),
    "in a comment": ("import tensorflow as tf\n# was tf.Session()\n", ""),
    "in a text": (
        "import tensorflow as tf\nkey = 'tf.VERSION: ' + tf.version.VERSION + \"tf.Session\"\n",
        "",
    ),
    "in the code of a text": ("import tensorflow as tf\nprint(f'{tf.VERSION}')\n", TF1),
    "in a docstring": ('"""Like tf.Session."""\nimport tensorflow as tf\n', ""),
    "of another module": ("import tensorflow as tf\nmytf.Session()\nx.tf.Session()\n", ""),
    "of compat.v1": ("import tensorflow as tf\ntf.compat.v1.Session()\n", ""),
    "compat.v1 in the place of tf": (COMPAT, ""),
    "compat.v1 where there is one": (
        "try:\n    import tensorflow.compat.v1 as tf\nexcept ImportError:\n"
        "    import tensorflow as tf\ntf.Session()\n",
        "",
    ),
    "names both have": (NEUTRAL, ""),
    "one of each": ("import tensorflow as tf\ntf.Session()\ntf.optimizers.Adam()\n", ""),
}


@pytest.mark.parametrize(("text", "release"), OWN.values(), ids=OWN)
def test_what_a_file_says(text: str, release: str) -> None:
    found = tensorflow_evidence.read(text.encode())
    assert found is not None
    assert found.release == release


@pytest.mark.parametrize("text", ["import torch\n", "import tensorflow_datasets as tfds\n", ""])
def test_a_file_without_tensorflow_says_nothing(text: str) -> None:
    assert tensorflow_evidence.read(text.encode()) is None


PINS = {
    "exact": ("requirements.txt", "tensorflow==1.15.0\n", TF1),
    "gpu": ("requirements.txt", "tensorflow-gpu>=2.0\n", TF2),
    "below": ("requirements.txt", "tensorflow<2\n", TF1),
    "below 2.0": ("requirements.txt", "tensorflow>=1.13,<2.0\n", TF1),
    "a range over both": ("requirements.txt", "tensorflow>=1.15\n", None),
    "up to 2.4": ("requirements.txt", "tensorflow<2.4\n", None),
    "compatible": ("requirements.txt", "tensorflow~=2.4\n", TF2),
    "nightly": ("requirements.txt", "tf-nightly\n", TF2),
    "Keras 3": ("requirements.txt", "keras>=3\n", TF2),
    "none": ("requirements.txt", "tensorflow\n", None),
    "a comment": ("requirements.txt", "# tensorflow >= 2.0.0 # (install it)\nnumpy\n", TF2),
    "a comment beside another": ("requirements.txt", "# tensorflow==1.15\ntensorflow>=2.1\n", TF2),
    "setup": ("setup.py", "setup(install_requires=['tensorflow>=2.3'])\n", TF2),
    "pyproject": ("pyproject.toml", '[project]\ndependencies = ["tensorflow==1.15"]\n', TF1),
    "conda": ("environment.yml", "dependencies:\n  - tensorflow=2.4\n", TF2),
    "image": ("Dockerfile", "FROM tensorflow/tensorflow:1.15.5-gpu\n", TF1),
    "dated image": ("Dockerfile", "FROM nvcr.io/nvidia/tensorflow:21.02-tf2-py3\n", TF2),
    "installed": ("Dockerfile", "RUN pip install tensorflow==2.6.2\n", TF2),
}


@pytest.mark.parametrize(("name", "text", "release"), PINS.values(), ids=PINS)
def test_requirements_decide_for_files_that_do_not_tell(
    tmp_path: Path, name: str, text: str, release: str | None
) -> None:
    found = surveyed(tmp_path, {"mean.py": NEUTRAL, name: text}).facts
    assert found.releases == {"mean.py": release or TF1}
    assert name in found.target or release is None


def test_a_helper_takes_the_release_of_the_files_around_it(tmp_path: Path) -> None:
    found = surveyed(
        tmp_path,
        {
            "old/train.py": GRAPH,
            "old/mean.py": NEUTRAL,
            "new/train.py": EAGER,
            "new/lib/mean.py": NEUTRAL,
        },
    ).facts
    assert found.releases == {
        "old/train.py": TF1,
        "old/mean.py": TF1,
        "new/train.py": TF2,
        "new/lib/mean.py": TF2,
    }
    assert found.frameworks == {"tensorflow", "tensorflow2"}


def test_a_helper_takes_the_release_of_the_programs_that_import_it(tmp_path: Path) -> None:
    """An old version in a folder of its own does not decide for the library of the new one."""
    found = surveyed(
        tmp_path,
        {
            "train.py": EAGER + "import lib\n",
            "lib/__init__.py": "from lib.batches import *\n",
            "lib/batches.py": NEUTRAL,
            "old/train_a.py": GRAPH + "from old import mean\n",
            "old/train_b.py": GRAPH,
            "old/train_c.py": GRAPH,
            "old/mean.py": NEUTRAL,
            "both.py": NEUTRAL,
            "new.py": EAGER + "import both\n",
            "ancient.py": GRAPH + "import both\n",
            "alone.py": NEUTRAL,
        },
    ).facts
    assert found.releases["lib/batches.py"] == TF2
    assert found.releases["old/mean.py"] == TF1
    assert found.releases["both.py"] == found.releases["alone.py"] == TF1
    assert (
        "lib/batches.py, imports link it with train.py, which uses tf.config.list_physical_devices"
        in found.target
    )


def test_code_decides_where_requirements_contradict_it(tmp_path: Path) -> None:
    contents = {
        "requirements.txt": "tensorflow==1.14\n",
        "train.py": EAGER + "import losses\n",
        "losses.py": NEUTRAL,
        "alone.py": NEUTRAL,
    }
    found = surveyed(tmp_path, contents).facts
    assert found.releases == {"train.py": TF2, "losses.py": TF2, "alone.py": TF1}


def test_keras_alone_is_that_of_tensorflow_2(tmp_path: Path) -> None:
    text = "from tensorflow import keras\nmodel = keras.Sequential()\nmodel.fit(x, y)\n"
    assert surveyed(tmp_path, {"train.py": text}).facts.framework == "tensorflow2"


def test_compat_v1_is_tensorflow_1_unless_the_project_is_for_2(tmp_path: Path) -> None:
    alone = surveyed(tmp_path / "alone", {"train.py": COMPAT}).facts
    assert (alone.framework, dict(alone.releases)) == ("tensorflow", {"train.py": TF1})
    inside = surveyed(
        tmp_path / "inside", {"train.py": COMPAT, "requirements.txt": "tensorflow>=2.4\n"}
    ).facts
    assert inside.releases == {"train.py": TF2}
    assert "compat.v1 with graphs and sessions in train.py" in inside.target


def test_nothing_that_tells_is_said(tmp_path: Path) -> None:
    found = surveyed(tmp_path, {"mean.py": NEUTRAL}).facts
    assert found.framework == "tensorflow"
    assert "--framework" in found.target


@pytest.mark.parametrize("framework", ["tf1", "tf2"])
def test_the_user_decides(tmp_path: Path, framework: str) -> None:
    found = surveyed(tmp_path, {"a.py": GRAPH, "b.py": EAGER}, framework).facts
    assert set(found.releases.values()) == {framework}
    assert found.target.endswith("--framework says so")


def test_the_project_file_decides(tmp_path: Path) -> None:
    table = '[tool.ascendify]\nframework = "tf2"\n'
    found = surveyed(tmp_path, {"mean.py": NEUTRAL, "pyproject.toml": table}).facts
    assert found.releases == {"mean.py": TF2}
    assert found.target == "TensorFlow 2: pyproject.toml says so"


def test_an_unknown_framework_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--framework is 'tf3'"):
        load(tmp_path, framework="tf3")


DROPOUT = "import tensorflow as tf\n\n\ndef drop(x):\n    return tf.nn.dropout(x, 0.1)\n"


def test_rules_of_tensorflow_1_leave_tensorflow_2_alone(tmp_path: Path) -> None:
    contents = {
        "train.py": EAGER + "import model\nif __name__ == '__main__':\n    model.drop(1)\n",
        "model.py": DROPOUT,
        "batches.py": "import tensorflow as tf\nds = tf.data.Dataset.range(9).batch(2)\n",
    }
    root = project(tmp_path / "in", contents)
    found = migrate(load(root, output=tmp_path / "out", jobs=1))
    assert {finding.code.partition("-")[0] for finding in found.findings} == {"TF2"}
    for name in ("model.py", "batches.py"):
        assert (tmp_path / "out" / name).read_text(encoding="utf-8") == contents[name]
    assert found.target.startswith("TensorFlow 2: train.py uses tf.config.list_physical_devices")
    assert {use.api for use in found.apis} >= {"tf2.nn.dropout", "tf2.data.Dataset"}


def test_the_same_call_in_tensorflow_1_is_rewritten(tmp_path: Path) -> None:
    found = report(tmp_path, {"train.py": GRAPH, "model.py": DROPOUT})
    assert "TF1-OP-1" in {item.code for item in found.findings if item.path == "model.py"}


def test_a_helper_with_tensorflow_leaves_a_pytorch_project_one(tmp_path: Path) -> None:
    contents = {
        "train.py": "import torch\nimport metrics\nloss.backward()\nx.cuda()\n",
        "metrics.py": "import tensorflow as tf\n\n\ndef fid(graph):\n    sess = tf.Session()\n"
        "    return sess.run(graph)\n",
    }
    found = report(tmp_path, contents)
    codes = {item.path: item.code for item in found.findings}
    assert codes["metrics.py"] == "TORCH-HOST-1"
    assert not [code for code in codes.values() if code.startswith("TF")]
    assert "TensorFlow" not in found.target


def test_a_class_that_is_called_estimator_trains_nothing(tmp_path: Path) -> None:
    contents = {
        "train.py": "import torch\nimport metrics\nloss.backward()\nx.cuda()\n",
        "metrics.py": "import tensorflow as tf\ntf.enable_eager_execution()\n"
        "class MetricsEstimator(tf.test.TestCase):\n    pass\n\n\n"
        "def run():\n    return MetricsEstimator()\n",
    }
    found = report(tmp_path, contents)
    assert not [item.code for item in found.findings if item.code.startswith("TF")]


def test_an_object_that_is_called_an_estimator_trains_nothing(tmp_path: Path) -> None:
    contents = {
        "train.py": "import torch\nloss.backward()\nx.cuda()\n",
        "evaluate.py": "import tensorflow.compat.v1 as tf\nsess = tf.Session()\n"
        "manifold = ManifoldEstimator(sess)\n",
    }
    assert "TensorFlow" not in report(tmp_path, contents).target


def test_a_project_that_trains_with_both_keeps_both(tmp_path: Path) -> None:
    contents = {
        "torch_train.py": "import torch\nx.cuda()\n",
        "tf_train.py": EAGER + "model.fit(x)  # keras\nwith tf.GradientTape() as tape:\n    pass\n",
    }
    found = surveyed(tmp_path, contents).facts
    assert found.frameworks == {"torch", "tensorflow2"}
    assert "TensorFlow 2" in found.target
    assert "torch" in found.target


def test_a_notebook_tells_too(tmp_path: Path) -> None:
    cell = (
        '{"cells": [{"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": null,'
    )
    cell += ' "source": ["import tensorflow as tf\\n", "tf.optimizers.Adam()\\n"]}],'
    cell += ' "metadata": {}, "nbformat": 4, "nbformat_minor": 4}'
    found = surveyed(tmp_path, {"train.ipynb": cell}).facts
    assert found.releases == {"train.ipynb": TF2}


def test_what_a_notebook_printed_does_not_tell(tmp_path: Path) -> None:
    printed = '{"output_type": "stream", "text": ["use tf.train.get_global_step\\n"]}'
    cell = '{"cells": [{"cell_type": "code", "metadata": {}, "execution_count": null,'
    cell += f' "outputs": [{printed}], "source": ["import tensorflow as tf\\n"]}}],'
    cell += ' "metadata": {}, "nbformat": 4, "nbformat_minor": 4}'
    found = surveyed(tmp_path, {"train.ipynb": cell, "run.py": EAGER}).facts
    assert found.releases == {"train.ipynb": TF2, "run.py": TF2}


def test_compat_v1_inside_tensorflow_2_uses_the_adapter_of_that(tmp_path: Path) -> None:
    text = COMPAT + "if __name__ == '__main__':\n    sess.run(1)\n"
    root = project(tmp_path / "in", {"train.py": text, "requirements.txt": "tensorflow==2.6.2\n"})
    found = migrate(load(root, output=tmp_path / "out", jobs=1))
    after = (tmp_path / "out" / "train.py").read_text(encoding="utf-8")
    assert "from npu_device.compat.v1.npu_init import npu_config_proto" in after
    assert "npu_bridge" not in after
    assert {"TF1-SESS-1", "TF2-V1-1"} <= {item.code for item in found.findings}
    assert "tf2.compat.v1.Session" in {use.api for use in found.apis}
    again = check(load(tmp_path / "out", jobs=1))
    assert {item.code for item in again.findings if item.status.rewrites} == set()


def test_horovod_in_sessions_of_compat_v1_has_the_rules_of_tensorflow_1(tmp_path: Path) -> None:
    text = COMPAT + (
        "import horovod.tensorflow as hvd\n"
        "hvd.init()\n"
        "opt = hvd.DistributedOptimizer(tf.train.AdamOptimizer(0.1 * hvd.size()))\n"
        "total = hvd.allreduce(opt.minimize(x))\n"
        "hooks = [hvd.BroadcastGlobalVariablesHook(hvd.rank())]\n"
    )
    root = project(tmp_path / "in", {"train.py": text, "requirements.txt": "tensorflow==2.6.2\n"})
    found = migrate(load(root, output=tmp_path / "out", jobs=1))
    codes = {item.code for item in found.findings}
    assert {"TF1-HVD-2", "TF1-HVD-3", "TF1-HVD-4", "TF1-HVD-5"} <= codes
    assert {code for code in codes if code.startswith("TF2-HVD")} == set()


def test_what_horovod_gives_is_of_the_release(tmp_path: Path) -> None:
    text = (
        "import tensorflow as tf\nimport horovod.tensorflow as hvd\n"
        "tape = hvd.DistributedGradientTape(tf.GradientTape())\n"
    )
    module = Module.parse_text("a.py", SourceText(text))
    module.index  # noqa: B018 - marks parents and scopes
    for release, kind in ((TF1, "tf.GradientTape"), (TF2, "tf2.GradientTape")):
        whole = Project(Path(), ["a.py"], {"a.py": text})
        whole.put(module)
        resolver = Resolver(whole, CatalogKnowledge({"a.py": release}))
        last = module.tree.body[-1]
        assert isinstance(last, ast.Assign)
        assert resolver.kinds(module, last.value) == ((kind,), True)


def test_modules_of_eager_programs_are_not_for_sessions(tmp_path: Path) -> None:
    norm = "import tensorflow as tf\nimport tensorflow.compat.v1 as tf1\nx = tf1.get_variable\n"
    contents = {
        "train.py": EAGER + "import norm\nif __name__ == '__main__':\n    print(norm)\n",
        "norm.py": norm,
        "freeze.py": COMPAT + "import graph_utils\n",
        "graph_utils.py": norm,
        "alone.py": norm,
    }
    found = surveyed(tmp_path, contents).facts
    assert found.graphs == {"freeze.py", "graph_utils.py", "alone.py"}


def test_what_is_left_over_from_a_port_does_not_count(tmp_path: Path) -> None:
    contents = {
        "requirements.txt": "tensorflow>=2.3\n",
        "a.py": EAGER,
        "b.py": EAGER,
        "sessions.py": GRAPH,
    }
    found = surveyed(tmp_path / "ported", contents).facts
    assert found.releases["sessions.py"] == TF2
    del contents["a.py"], contents["b.py"]
    alone = surveyed(tmp_path / "wrong_pin", contents).facts
    assert alone.releases["sessions.py"] == TF1


def test_style_counts_where_as_many_files_name_each_release(tmp_path: Path) -> None:
    keras = "from tensorflow.keras import backend as K\nx = K.mean(y)\n"
    contents = {
        "requirements.txt": "tensorflow-gpu==2.2.0\n",
        "seed.py": "import tensorflow as tf\ntf.random.set_seed(1)\n",
        "loss.py": f"import tensorflow as tf\n{keras}x = tf.Print(x, [x])\n",
        "model.py": keras,
    }
    found = surveyed(tmp_path / "ported", contents).facts
    assert found.releases["loss.py"] == TF2
    contents["requirements.txt"] = "tensorflow\n"
    unpinned = surveyed(tmp_path / "unpinned", contents).facts
    assert unpinned.releases["loss.py"] == TF1


def test_a_folder_with_requirements_of_its_own_does_not_take_those_around(tmp_path: Path) -> None:
    contents = {
        "requirements.txt": "tensorflow==1.15.4\n",
        "run.py": GRAPH,
        "model.py": GRAPH,
        "again/requirements.txt": "tensorflow\ntensorflow-datasets\n",
        "again/run.py": EAGER,
        "again/model.py": NEUTRAL,
    }
    assert surveyed(tmp_path, contents).facts.releases == {
        "run.py": TF1,
        "model.py": TF1,
        "again/run.py": TF2,
        "again/model.py": TF2,
    }


def test_a_file_with_horovod_alone_takes_the_release_around_it(tmp_path: Path) -> None:
    contents = {"main.py": "import horovod.tensorflow as hvd\nhvd.init()\n", "run.py": EAGER}
    found = surveyed(tmp_path, contents).facts
    assert found.releases == {"main.py": TF2, "run.py": TF2}
    torch = {"main.py": "import horovod.torch as hvd\nhvd.init()\n"}
    assert "main.py" not in surveyed(tmp_path / "torch", torch).facts.releases
