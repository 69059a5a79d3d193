"""The programs of a project: which there are, what each does, which comes first."""

from __future__ import annotations

from pathlib import Path

import pytest

from ascendify.programs import finding
from ascendify.programs.program import Programs
from ascendify.source.project import Project

GUARD = "if __name__ == '__main__':\n    main()\n"


def find(files: dict[str, str], mentions: dict[str, str] | None = None) -> Programs:
    return finding.find(Project(Path("/nowhere"), files, files), mentions=mentions)


TRAINING = [
    pytest.param("import tensorflow as tf\nopt.minimize(loss)\n", id="without-a-guard"),
    pytest.param(
        "import tensorflow as tf\ndef main(): opt.minimize(loss)\n" + GUARD, id="main-guard"
    ),
    pytest.param(
        "import tensorflow as tf\ndef main(_): opt.apply_gradients(g)\ntf.app.run()\n",
        id="app-run-takes-main",
    ),
    pytest.param(
        "from absl import app\nimport tensorflow as tf\n"
        "def run(_): tf.estimator.train_and_evaluate(e, t, v)\n"
        "if __name__ == '__main__': app.run(run)\n",
        id="absl",
    ),
    pytest.param(
        "import fire\nimport keras\ndef go(lr=1): model.fit(x, y, epochs=3)\nfire.Fire(go)\n",
        id="fire",
    ),
    pytest.param(
        "import click\nimport torch\n@click.command()\ndef main(): loss.backward()\n" + GUARD,
        id="click",
    ),
    pytest.param(
        "import hydra\nimport torch\n@hydra.main(config_path='c')\n"
        "def main(cfg): trainer.fit(model=m, datamodule=d)\n" + GUARD,
        id="hydra",
    ),
    pytest.param("import keras\nm.train_on_batch(x, y)\n", id="train_on_batch"),
    pytest.param(
        "import tensorflow as tf\nestimator.train(input_fn=f, max_steps=3)\n", id="estimator"
    ),
    pytest.param(
        "import tensorflow.contrib.slim as slim\nslim.learning.train(op, 'logs')\n", id="slim"
    ),
    pytest.param(
        "from transformers import Trainer\nTrainer(model, args).train()\n", id="transformers"
    ),
    pytest.param(
        "import tensorflow as tf\ndef update(ps, loss):\n"
        "    return [p.assign(p - g) for p, g in zip(ps, tf.gradients(loss, ps))]\nupdate(a, b)\n",
        id="own-update-rule",
    ),
    pytest.param(
        "import tensorflow as tf\nclass Net:\n    def fit_all(self): self.opt.minimize(loss)\n"
        "Net().fit_all()\n",
        id="method",
    ),
    pytest.param("import tensorflow as tf\nopt.minimize(loss)\nprint 'Python 2'\n", id="python-2"),
]


@pytest.mark.parametrize("text", TRAINING)
@pytest.mark.parametrize("name", ["train.py", "sub/x.py"])
def test_what_trains(text: str, name: str) -> None:
    (found,) = find({name: text}).training
    assert found.path == name
    assert found.reasons[0].startswith("trains with ")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        pytest.param("import numpy as np\nnp.save('a', b)", "data preparation", id="saves-arrays"),
        pytest.param(
            "import tensorflow as tf\ntf.io.TFRecordWriter('x')", "data preparation", id="records"
        ),
        pytest.param("import keras\nmodel.evaluate(x, y)", "evaluation", id="evaluate"),
        pytest.param("import keras\nmodel.predict(x)", "inference", id="predict"),
        pytest.param("import torch\ntorch.onnx.export(m, x, 'f')", "export", id="onnx"),
        pytest.param(
            "from scipy import optimize\nimport torch\noptimize.minimize(f, x)", "other", id="scipy"
        ),
        pytest.param(
            "from sklearn.svm import SVC\nimport tensorflow\nmodel = SVC()\nmodel.fit(x, y)",
            "other",
            id="scikit-learn",
        ),
        pytest.param("opt.minimize(loss)", "other", id="no-framework"),
        pytest.param("import torch\nmodel.train()", "other", id="training-mode"),
        pytest.param("import torch\ndef f(): loss.backward()", "other", id="never-called"),
    ],
)  # fmt: skip
def test_what_does_not_train(text: str, kind: str) -> None:
    indented = "\n".join(f"    {line}" for line in text.splitlines())
    found = find({"x.py": f"if __name__ == '__main__':\n{indented}\n"})
    assert found.training == ()
    assert [item.kind for item in found.others] == [kind]


MODEL = """
import tensorflow as tf
class Model:
    def __init__(self): self.loss = 1
    def optimize(self): return opt.minimize(self.loss)
    def test(self): pass
"""
BUILT = "import tensorflow as tf\nclass Model:\n    def __init__(self): self.op = opt.minimize(1)\n"


@pytest.mark.parametrize(
    ("files", "training", "others"),
    [
        pytest.param(
            {
                "model.py": MODEL,
                "train.py": "from model import Model\nModel().optimize()\n",
                "test.py": "from model import Model\ndef main(): Model().test()\n" + GUARD,
            },
            ["train.py"],
            {"test.py": "evaluation"},
            id="by-the-methods-they-call",
        ),
        pytest.param(
            {
                "model.py": BUILT,
                "a.py": "import model\ndef main(): session.run(model.Model().op)\n" + GUARD,
                "eval.py": "import model\ndef main(): session.run(model.Model().out)\n" + GUARD,
            },
            ["a.py"],
            {"eval.py": "evaluation"},
            id="evaluation-that-builds-the-optimizer",
        ),
        pytest.param(
            {"test.py": "import keras\nmodel.fit(x, epochs=1)\n"}, ["test.py"], {}, id="called-test"
        ),
        pytest.param(
            {
                "model.py": BUILT,
                "test.py": "import model\ndef main(): session.run(model.Model().op)\n" + GUARD,
            },
            ["test.py"],
            {},
            id="called-test-and-nothing-else-trains",
        ),
        pytest.param(
            {
                "models/__init__.py": "import importlib\ndef make(n): importlib.import_module(n)",
                "models/a.py": MODEL,
                "train.py": "import torch, models\nmodels.make('a').optimize()\n",
                "show.py": "import torch, models\ndef main(): models.make('a').test()\n" + GUARD,
            },
            ["train.py"],
            {"show.py": "other"},
            id="loaded-by-name",
        ),
        pytest.param(
            {
                "nets.py": "import torch\ndef small(): loss.backward()\n",
                "train.py": "import nets\ngetattr(nets, name)()\n",
            },
            ["train.py"],
            {},
            id="looked-up-by-name",
        ),
        pytest.param(
            {
                "model.py": "import keras\nmodel.fit(x, epochs=1)\n",
                "main.py": "import model\n",
            },
            ["main.py"],
            {},
            id="trains-where-it-is-imported",
        ),
        pytest.param(
            {
                "tests/test_model.py": "import unittest, torch\nclass T(unittest.TestCase):\n"
                "    def test_it(self): loss.backward()\n" + GUARD,
                "setup.py": "import torch\nloss.backward()\n",
            },
            [],
            {},
            id="unit-tests-and-setup",
        ),
        pytest.param(
            {
                "gan.py": "import keras\nm.train_on_batch(x)\n",
                "examples/b.py": "import keras\nm.train_on_batch(x)\n",
                "tools/train_c.py": "import keras\nm.train_on_batch(x)\n",
                "lib.py": "import keras\ndef main(): m.train_on_batch(x)\n" + GUARD,
                "user.py": "import lib\n",
            },
            ["tools/train_c.py", "gan.py", "lib.py", "examples/b.py"],
            {},
            id="ranked",
        ),
        pytest.param(
            {"train.py": "import torch\nimport unknown\nunknown.go()\n" + GUARD, "a.py": GUARD},
            ["train.py"],
            {"a.py": "other"},
            id="by-its-name-where-nothing-else-is-known",
        ),
    ],
)  # fmt: skip
def test_which_programs_train(
    files: dict[str, str], training: list[str], others: dict[str, str]
) -> None:
    found = find(files)
    assert [item.path for item in found.training] == training
    assert {item.path: item.kind for item in found.others} == others


def test_a_document_that_names_a_program_speaks_for_it() -> None:
    text = "import torch\nloss.backward()\n"
    found = find({"a.py": text, "b.py": text}, {"b.py": "README.md"})
    assert [item.path for item in found.training] == ["b.py", "a.py"]
    assert "named in README.md" in found.training[0].reasons


@pytest.mark.parametrize(
    ("text", "averages"),
    [
        pytest.param("npu_distributed_optimizer_wrapper(opt).minimize(x)", True, id="tf1-wrapper"),
        pytest.param("NPUDistributedOptimizer(opt).minimize(x)", True, id="tf1-class"),
        pytest.param("opt.apply_gradients([hccl_ops.allreduce(grad)])", True, id="allreduce"),
        pytest.param("DDP(net)\nloss.backward()", True, id="alias"),
        pytest.param("nn.DataParallel(net)\nloss.backward()", False, id="one-process"),
        pytest.param("dist.all_reduce(loss)\nloss.backward()", False, id="a-metric"),
        pytest.param("def f(): DDP(net)\nloss.backward()", False, id="never-called"),
        pytest.param("opt.minimize(x)", False, id="plain"),
    ],
)  # fmt: skip
def test_what_averages_gradients(text: str, averages: bool) -> None:
    head = "import torch\nfrom torch.nn.parallel import DistributedDataParallel as DDP\n"
    (found,) = find({"train.py": head + text}).training
    assert bool(found.averages) == averages


def test_how_programs_are_started() -> None:
    train = "import torch\nloss.backward()\n"
    found = find(
        {
            "plain.py": train,
            "pkg/__init__.py": "",
            "pkg/sub/__init__.py": "",
            "pkg/sub/run.py": "from .. import other\n" + train,
            "pkg/other.py": "",
            "src/tool/__init__.py": "",
            "src/tool/__main__.py": train,
            "lib/tools/go.py": "import shared.x\n" + train,
            "lib/shared/x.py": "",
        }
    )
    assert {item.path: (item.command, item.search_path) for item in found.training} == {
        "plain.py": (("plain.py",), ()),
        "pkg/sub/run.py": (("-m", "pkg.sub.run"), ()),
        "src/tool/__main__.py": (("-m", "tool"), ("src",)),
        "lib/tools/go.py": (("lib/tools/go.py",), ("lib",)),
    }


def test_files_of_a_program_are_in_the_order_of_the_code_that_uses_them() -> None:
    names = ["zeta", "alpha", "omega", "beta", "kappa", "delta", "sigma", "gamma"]
    calls = "".join(f"    {name}.build(loss)\n" for name in names)
    imports = "".join(f"from lib import {name}\n" for name in sorted(names))
    found = find(
        {
            "train.py": f"from net import main\nimport torch\nloss.backward()\n{GUARD}",
            "net.py": f"{imports}def main():\n{calls}",
            "lib/__init__.py": "",
            **{f"lib/{name}.py": "def build(loss): return loss\n" for name in names},
        }
    )
    (program,) = found.training
    # the same in every run, whatever the hashes of names: launch scripts are written from it
    assert program.files == ("train.py", "net.py", *(f"lib/{name}.py" for name in names))


SETTINGS = "import tensorflow as tf\nfrom nets.model import Net\nbase_model = Net\n"
MODEL = "import tensorflow as tf\nclass Net:\n    def build(self): opt.minimize(loss)\n"


@pytest.mark.parametrize("more", ["", "rates = dict(a=1)\npaths = []\npaths.append('x')\n"])
def test_a_settings_file_is_no_program(more: str) -> None:
    run = f"import runpy\ndef main(): runpy.run_path(name)['base_model']().build()\n{GUARD}"
    files = {"configs/small.py": SETTINGS + more, "nets/model.py": MODEL, "run.py": run}
    found = find({**files, "nets/__init__.py": ""})
    assert [item.path for item in found.training] == ["run.py"]


@pytest.mark.parametrize(
    "start",
    [
        "from nets.model import Net\nNet().build()\n",
        "from nets.steps import train\nlosses = train()\n",
        "def start(): Net().build()\nfrom nets.model import Net\nlosses = start()\n",
        "def _start(): Net().build()\nfrom nets.model import Net\nlosses = _start()\n",
    ],
)
def test_code_at_module_level_that_starts_a_training_is_a_program(start: str) -> None:
    steps = "from nets.model import Net\ndef train(): Net().build()\n"
    files = {"begin.py": start, "nets/model.py": MODEL, "nets/steps.py": steps}
    found = find({**files, "nets/__init__.py": ""})
    assert [item.path for item in found.training] == ["begin.py"]
