"""Which files are analysed by rules at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from ascendify.migrate.discovery import files
from ascendify.migrate.settings import load
from ascendify.migrate.survey import survey

ANALYSED = {
    "a plain import": b"import os\nimport tensorflow as tf\n",
    "a module of the framework": b"from torch.nn import Linear\n",
    "the last line, without a newline": b"x = 1\nfrom keras import layers",
    "names over several lines": b"from tensorflow import (\n    keras,\n)\n",
    "behind a condition": b"if x: import torch\n",
    "in a function": b"def f():\n    import horovod.tensorflow as hvd\n",
    "by its name": b"import importlib\ntf = importlib.import_module('tensorflow')\n",
    "a line joined to the one before": b"from torch \\\n  import nn\n",
    "a line joined to the next": b"import \\\n  \\\n  torch\n",
    "joined lines of another system": b"from torch \\\r\n  import nn\r\n",
    "newlines of an old system": b"import os\rimport torch\r",
    "the device by its name": b"def f(x):\n    return x.cuda()\n",
    "a variable of the environment": b"import os\nos.environ['CUDA_VISIBLE_DEVICES'] = '0'\n",
    "the first line": b"import torch",
}
PASSED_OVER = {
    "nothing": b"",
    "another package": b"import numpy as np\nfrom os import path\n",
    "a name in passing": b'"""Like tensorflow, but simple."""\nimport numpy\n',
    "a backslash and nothing else": b"\\\nimport os\\",
    "the word alone": b"import",
}


def analysed(root: Path, content: bytes) -> list[str]:
    (root / "script.py").write_bytes(content)
    settings = load(root)
    return survey(settings, files(settings)).analysed


@pytest.mark.parametrize("content", ANALYSED.values(), ids=ANALYSED.keys())
def test_files_that_concern_some_rule(content: bytes, tmp_path: Path) -> None:
    assert analysed(tmp_path, content) == ["script.py"]


@pytest.mark.parametrize("content", PASSED_OVER.values(), ids=PASSED_OVER.keys())
def test_files_that_concern_none(content: bytes, tmp_path: Path) -> None:
    assert analysed(tmp_path, content) == []


@pytest.mark.parametrize(
    ("train", "distributed"),
    [
        pytest.param(
            "from model import *\nstrategy = tf.distribute.MirroredStrategy()\n",
            "tf_strategy",
            id="TensorFlow comes with a star import",
        ),
        pytest.param(
            "from other import *\nstrategy = tf.distribute.MirroredStrategy()\n",
            "none",
            id="a star import of a file without TensorFlow",
        ),
        pytest.param("from model import *\ntf.print(1)\n", "none", id="no strategy"),
    ],
)
def test_strategies(train: str, distributed: str, tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text("import tensorflow as tf\n")
    (tmp_path / "other.py").write_text("tf = None\n")
    (tmp_path / "train.py").write_text(train)
    settings = load(tmp_path)
    assert survey(settings, files(settings)).facts.distributed == distributed


# --- unit tests are left alone -------------------------------------------------------------------

UNIT_TEST = (
    "import tensorflow as tf\nclass A(tf.test.TestCase):\n"
    "    def test_a(self):\n        tf.Session()\n"
)
TESTED = {
    "train.py": "import tensorflow as tf\n",
    "net_test.py": UNIT_TEST,
    "tests/test_net.py": UNIT_TEST,
    "test.py": "import tensorflow as tf\nmodel.fit(x)\n",
}


@pytest.mark.parametrize(
    ("given", "paths", "expected", "said"),
    [
        pytest.param({}, ("",), ["test.py", "train.py"], "2 files of unit tests are", id="folder"),
        pytest.param({"include_tests": True}, ("",), sorted(TESTED), "", id="included"),
        pytest.param({}, ("net_test.py",), ["net_test.py"], "", id="named"),
    ],
)
def test_unit_tests(
    given: dict[str, bool], paths: tuple[str, ...], expected: list[str], said: str, tmp_path: Path
) -> None:
    for name, text in TESTED.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    settings = load(*(tmp_path / path for path in paths), **given)
    found = survey(settings, files(settings))
    assert found.analysed == expected
    assert ("left alone" in found.facts.target) == bool(said)
    assert said in found.facts.target
