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
