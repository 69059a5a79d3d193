"""How the cost of ``check`` and ``migrate`` grows with the size of what they read.

Each shape is a project of so many repetitions of one thing: lines, links of an attribute chain,
terms of a sum, files that import each other. Every shape is migrated and reported in all formats at
two sizes, and the second takes at most as many times longer as it is larger. Names of shapes on the
command line choose some of them; ``--lines`` sets the smaller size. Then commands are run on large
files of so many lines, in processes of their own, and the memory they take is printed;
``--memory 1000000`` takes files of a million lines, ``--memory 0`` leaves this out.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from ascendify.migrate import migrate
from ascendify.migrate.settings import load
from ascendify.reports import render
from ascendify.reports.diff import unified

Files = Mapping[str, str]
Shape = Callable[[int], Files]

LINES = 250
FACTOR = 20
NOISE = 1.5
"""So much more is forgiven: a larger size misses caches of the processor, and what is bounded, such
as the assignments that one use may see, is below its bound at the smaller size. Cost that grows
with the square would take :data:`FACTOR` times as long as that."""
FORMATS = ("text", "json", "sarif", "github")
MEMORY_LINES = 50_000
MEMORY_LIMIT_MB = 2000
COMMANDS = ("check --no-cache", "check --no-cache --output-format json", "migrate --diff")


def _python(header: str, line: str, footer: str = "") -> Shape:
    """A file of one line again and again, with its number where it says ``{i}``."""
    return lambda count: {
        "train.py": header + "".join(line.replace("{i}", str(i)) for i in range(count)) + footer
    }


def _joined(header: str, first: str, item: str, last: str = "\n") -> Shape:
    """A file with one long expression."""
    return lambda count: {
        "train.py": header
        + first
        + "".join(item.replace("{i}", str(i)) for i in range(count))
        + last
    }


def _text(path: str, line: str, beside: str = "import torch\n", header: str = "") -> Shape:
    """A file that is not Python, beside a script that uses a framework."""
    return lambda count: {
        path: header + "".join(line.replace("{i}", str(i)) for i in range(count)),
        "train.py": beside,
    }


def _notebook(count: int) -> Files:
    cells = [
        {"cell_type": "code", "metadata": {}, "outputs": [], "source": [source]}
        for source in ("import torch\n", *["x = torch.ones(1).cuda()\n", "!nvidia-smi\n"] * count)
    ]
    return {"train.ipynb": json.dumps({"cells": cells, "nbformat": 4, "metadata": {}}, indent=1)}


def _ring(count: int) -> Files:
    """Files that import each other in a circle."""
    return {
        f"m{i}.py": f"import torch\nfrom m{(i + 1) % count} import f{(i + 1) % count}\n"
        f"def f{i}(x):\n    return f{(i + 1) % count}(x.cuda())\n"
        for i in range(count)
    }


def _star(count: int) -> Files:
    """Files that all import one."""
    files = {
        f"m{i}.py": f"import torch\nfrom base import build\nnet{i} = build({i}).cuda()\n"
        for i in range(count)
    }
    return {**files, "base.py": "import torch\ndef build(n):\n    return torch.nn.Linear(n, n)\n"}


def _ladder(count: int) -> Files:
    """Packages that star-import the one before."""
    files = {f"m{i}.py": f"from m{i - 1} import *\nx{i} = x0.cuda()\n" for i in range(1, count)}
    return {**files, "m0.py": "import torch\nx0 = torch.ones(1)\n"}


_T = "import torch\n"
_F = "import tensorflow as tf\n"
_H = "import tensorflow as tf\nimport horovod.tensorflow as hvd\nhvd.init()\n"
SHAPES: dict[str, Shape] = {
    "a call a line": _python(_T, "x = torch.ones(1).cuda()\n"),
    "a name a line": _python(_T, "x{i} = torch.ones(1).cuda()\n"),
    "a name given itself": _python(_T + "x = torch.ones(1)\n", "x = x.cuda()\n"),
    "a name from the last": _python(
        _T + "import os\nx = torch.ones(1)\n", "x{i} = x.cuda()\nx = x{i} + 1\n"
    ),
    "a chain of attributes": _joined(_T, "x = torch", ".a", ".cuda()\n"),
    "a chain of attributes, many": _python(_T, "x = torch.a.b.c.d.e.f.g.h.cuda()\n"),
    "a chain of methods": _joined(_T, "x = torch.ones(1)", ".cuda()"),
    "a chain of unknown methods": _joined(_T, "x = y", ".f()", ".cuda()\n"),
    "a sum": _joined(_T, "x = y", " + a{i}"),
    "a sum of calls": _joined(_T, "x = torch.ones(1).cuda()", " + torch.ones(1).cuda()"),
    "a list": _joined(_T, "x = [", "torch.ones(1).cuda(), ", "]\n"),
    "data": _python(_T + "table = []\n", "table.append((1, 2.5, 'a'))\n"),
    "a table of data": _joined(_T, "x = [\n", "    (1, 2.5, 'a'),\n", "]\n"),
    "a list on lines": _joined(_T, "x = [\n", "    torch.ones(1).cuda(),  # one\n", "]\n"),
    "a dictionary": _joined(_T, "x = {", "'k{i}': torch.ones(1).cuda(), ", "}\n"),
    "lists in lists": _joined(_T, "x = [", "[torch.ones(1).cuda(), 1], ", "]\n"),
    "arguments": _joined(_T, "f(", "a{i}=torch.ones(1).cuda(), ", ")\n"),
    "parameters": _joined(_T, "def f(", "a{i}=torch.device('cuda'), ", "): pass\n"),
    "strings side by side": _joined(_T, "x = (", "'cuda' ", ")\n"),
    "and": _joined(_T, "x = torch.ones(1).cuda()", " and torch.ones(1).cuda()"),
    "comparisons": _joined(_T, "x = 1", " < torch.ones(1).cuda()"),
    "elif": _joined(
        _T, "if x == 0:\n    pass\n", "elif x == {i}:\n    y = torch.ones({i}).cuda()\n", ""
    ),
    "else if": _joined(_T, "x = ", "1 if torch.ones(1).cuda() else ", "2\n"),
    "not": _joined(_T, "x = ", "not ", "torch.ones(1).cuda()\n"),
    "lambda": _joined(_T, "x = ", "lambda: ", "torch.ones(1).cuda()\n"),
    "statements on a line": _joined(_T, "x = 1", "; x = torch.ones(1).cuda()"),
    "statements on a line, not ASCII": _joined(
        _T, "x = 'é'", "; x = torch.ones('é').cuda()"
    ),
    "lines that are not ASCII": _python(_T, "x = torch.ones(1).cuda()  # é\n"),
    "comments inside": _python(_T, "x = torch.ones(1).cuda(  # why\n    0)\n"),
    "comments that skip": _python(_T, "x = torch.ones(1).cuda()  # ascendify: skip\n"),
    "line ends of Windows": _python("import torch\r\n", "x = torch.ones(1).cuda()\r\n"),
    "functions": _python(_T, "def f{i}(x):\n    return x.cuda()\n"),
    "functions called once": _python(
        _T, "def f{i}(x):\n    return x.cuda()\nf{i}(torch.ones(1))\n"
    ),
    "functions calling the next": _python(
        _T, "def f{i}(x):\n    return f{i}(x.cuda())\n", "f0(torch.ones(1))\n"
    ),
    "one function called": _python(
        _T + "def f(x, device='cuda'):\n    return x.to(device)\n", "y = f(torch.ones({i}))\n"
    ),
    "functions of one name": _python(_T, "def f(x):\n    return x.cuda()\n", "f(1)\n"),
    "methods": _python(
        _T + "class A(torch.nn.Module):\n    def __init__(self):\n        self.x = torch.ones(1)\n",
        "    def f{i}(self):\n        return self.x.cuda()\n",
    ),
    "attributes of self": _python(
        _T + "class A(torch.nn.Module):\n    def __init__(self):\n",
        "        self.x{i} = torch.ones(1).cuda()\n",
        "    def forward(self):\n        return self.x0\n",
    ),
    "one attribute of self": _python(
        _T + "class A(torch.nn.Module):\n    def f(self):\n",
        "        self.x = self.x.cuda()\n",
    ),
    "classes": _python(_T, "class A{i}(torch.nn.Module):\n    def f(self): return self.cuda()\n"),
    "classes derived": lambda count: {
        "train.py": _T
        + "class A0(torch.nn.Module): pass\n"
        + "".join(
            f"class A{i + 1}(A{i}):\n    def f(self): return self.cuda()\n" for i in range(count)
        )
    },
    "imports": _python("", "import torch as t{i}\nx = t{i}.ones(1).cuda()\n"),
    "imports of names": _python("", "from torch import nn as n{i}\nx = n{i}.Linear(1, 1).cuda()\n"),
    "imports unused": _python(_T, "import m{i}\n", "x = torch.ones(1).cuda()\n"),
    "one import, again": _python("", "import torch\nx = torch.ones(1).cuda()\n"),
    "device texts": _python(_T, "x = torch.ones(1, device='cuda')\n"),
    "a device for all": _python(_T + "d = torch.device('cuda')\n", "x = torch.ones(1).to(d)\n"),
    "devices": _python(_T, "d = torch.device('cuda:0')\nx = torch.ones(1).to(d)\n"),
    "questions for CUDA": _python(
        _T, "x = torch.ones(1).cuda() if torch.cuda.is_available() else 1\n"
    ),
    "branches": _python(
        _T, "if torch.cuda.is_available():\n    x = torch.ones(1).cuda()\nelse:\n    x = 1\n"
    ),
    "loops": _python(_T, "for i in range(3):\n    x = torch.ones(1).cuda()\n"),
    "with": _python(_T, "with torch.cuda.amp.autocast():\n    x = torch.ones(1)\n"),
    "try": _python(_T, "try:\n    x = torch.ones(1).cuda()\nexcept Exception as e:\n    x = 1\n"),
    "variables of the environment": _python(
        _T + "import os\n", "os.environ['CUDA_VISIBLE_DEVICES'] = '0'\n"
    ),
    "apex": _python(
        _T + "from apex import amp\nm, o = amp.initialize(m, o)\n",
        "with amp.scale_loss(loss, o) as s:\n    s.backward()\n",
    ),
    "process groups": _python(
        _T + "import torch.distributed as dist\n", "dist.init_process_group(backend='nccl')\n"
    ),
    "loaders": _python(
        _T + "from torch.utils.data import DataLoader\n",
        "l = DataLoader(d, batch_size=2)\nfor a, b in l:\n    a = a.cuda()\n",
    ),
    "modules": _python(
        _T + "from torch import nn\n", "n = nn.Linear(1, 1).cuda()\nn = nn.DataParallel(n)\n"
    ),
    "loads": _python(_T, "x = torch.load('x{i}')\n"),
    "sessions": _python(_F, "x = tf.Session()\n"),
    "sessions with": _python(_F, "with tf.Session() as s:\n    s.run(x)\n"),
    "runs of a session": _python(_F + "s = tf.Session()\n", "y = s.run(x)\n"),
    "functions with sessions": _python(
        _F, "def f{i}():\n    with tf.Session(config=tf.ConfigProto()) as s:\n        s.run(x)\n"
    ),
    "dropouts": _python(_F, "x = tf.nn.dropout(x, 0.5)\n"),
    "dropouts of names": _python(_F, "x{i} = tf.nn.dropout(y, keep_prob=0.5)\n"),
    "layers": _python(
        _F + "x = tf.placeholder(tf.float32, [None, 3])\n", "x = tf.layers.dense(x, 3)\n"
    ),
    "variables": _python(_F, "v{i} = tf.get_variable('v{i}', [1], dtype=tf.float64)\n"),
    "a dataset's chain": _joined(_F, "x = tf.data.Dataset.range(9)", ".map(f).batch(8)"),
    "datasets": _python(
        _F + "x = tf.data.Dataset.range(9)\n", "x = x.map(f)\nx = x.batch(8)\n"
    ),
    "datasets of functions": _python(
        _F, "def f{i}(x):\n    return tf.data.Dataset.range(9).map(x).batch(8)\n"
    ),
    "options of a session": _python(
        _F + "c = tf.ConfigProto()\n",
        "c.gpu_options.allow_growth = True\n",
        "tf.Session(config=c)\n",
    ),
    "optimizers": _python(
        _F, "o = tf.train.AdamOptimizer(0.1)\nt = o.minimize(loss)\n"
    ),
    "optimizers in functions": _python(
        _F, "def f{i}(loss):\n    return tf.train.AdamOptimizer(0.1).minimize(loss)\n"
    ),
    "estimators": _python(
        _F,
        "def m{i}(features, labels, mode):\n    return tf.estimator.EstimatorSpec(mode, loss=1)\n"
        "c = tf.estimator.RunConfig()\ne = tf.estimator.Estimator(m{i}, config=c)\ne.train(f)\n",
    ),
    "devices of TensorFlow": _python(_F, "with tf.device('/gpu:0'):\n    x = tf.ones(1)\n"),
    "Horovod": _python(_H, "x = hvd.allreduce(x)\nr = hvd.rank()\n"),
    "Horovod's optimizers": _python(
        _H, "o = hvd.DistributedOptimizer(tf.train.AdamOptimizer(0.1))\nt = o.minimize(loss)\n"
    ),
    "Keras": _python(
        "from tensorflow import keras\nm = keras.Sequential()\n",
        "m.add(keras.layers.CuDNNLSTM(3))\n",
        "m.compile('adam', loss='mse')\nm.fit(x, y)\n",
    ),
    "Keras models": _python(
        "from tensorflow import keras\n",
        "m = keras.Sequential()\nm.compile('adam', loss='mse')\nm.fit(x, y)\n",
    ),
    "shapes": _python(_F, "x = tf.placeholder(tf.float32, [None, {i}])\ny = tf.where(x > 0)\n"),
    "a shell script": _text("run.sh", "python train.py --gpu {i}\n"),
    "variables of a script": _text("run.sh", "export CUDA_VISIBLE_DEVICES={i}\n"),
    "commands with mpirun": _text("run.sh", "mpirun -np 8 python train.py\n"),
    "commands with torchrun": _text("run.sh", "torchrun --nproc_per_node 8 train.py\n"),
    "a script of one command": _text(
        "run.sh", "  --option{i} cuda \\\n", header="python train.py \\\n"
    ),
    "a shell script of TensorFlow": _text("run.sh", "nvidia-smi\nexport NCCL_DEBUG=INFO\n", _F),
    "requirements": _text("requirements.txt", "package{i}==1.0\n"),
    "requirements of CUDA": _text("requirements.txt", "cupy-cuda{i}==1.0\nnvidia-a{i}\n"),
    "requirements of TensorFlow": _text("requirements.txt", "tensorflow-gpu==1.15\n", _F),
    "a Dockerfile": _text("Dockerfile", "RUN pip install tensorflow-gpu==1.15\n", _F, "FROM x\n"),
    "a file of settings": _text("config.yaml", "device{i}: cuda\n"),
    "a notebook": _notebook,
    "files in a circle": _ring,
    "files that import one": _star,
    "files that pass on": _ladder,
}  # fmt: skip
"""What is repeated, by name."""
_FILES = {"files in a circle", "files that import one", "files that pass on"}
"""Shapes whose repetitions are files: a twentieth of them."""
_LARGE = ("a call a line", "a name a line", "data", "a table of data")
"""Shapes of which very large files are made."""


def main() -> int:
    """Measure and print; the exit code says whether every figure is within its limit."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("shapes", nargs="*", help="names of shapes, or parts of them; else all")
    parser.add_argument("--lines", type=int, default=LINES, help="the smaller size")
    parser.add_argument("--factor", type=int, default=FACTOR, help="how many times larger")
    parser.add_argument(
        "--memory", type=int, default=MEMORY_LINES, help="lines of the large files, 0 for none"
    )
    options = parser.parse_args()
    chosen = [
        name
        for name in SHAPES
        if not options.shapes or any(part in name for part in options.shapes)
    ]
    _seconds(SHAPES["a call a line"](1))  # loads the rules
    _seconds(SHAPES["sessions"](1))
    good = [_line(name, options.lines, options.factor) for name in chosen]
    if options.memory:
        large = [name for name in _LARGE if name in chosen]
        good += [_memory(name, options.memory, command) for name in large for command in COMMANDS]
    return 0 if all(good) else 1


def _line(name: str, lines: int, factor: int) -> bool:
    count = max(lines // 20, 2) if name in _FILES else lines
    small = min(_seconds(SHAPES[name](count)) for _ in range(2))
    large = _seconds(SHAPES[name](count * factor))
    limit = factor * NOISE
    good = large / small <= limit
    print(
        f"{name}, {count} to {count * factor}: {large / small:.1f} times the time, {large:.2f} s"
        f" (at most {limit:g}) {'ok' if good else 'MISSED'}",
        flush=True,
    )
    return good


def _memory(name: str, lines: int, command: str) -> bool:
    """Run a command on a large file; print the most memory that it takes."""
    with tempfile.TemporaryDirectory() as folder:
        _write(Path(folder), SHAPES[name](lines).items())
        process = subprocess.Popen(
            (sys.executable, "-m", "ascendify", *command.split(), "train.py"),
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    megabytes, seconds = usage.ru_maxrss / unit, usage.ru_utime + usage.ru_stime
    good = process.returncode in (0, 1) and megabytes <= MEMORY_LIMIT_MB
    print(
        f"{name}, {lines} lines, {command}: {megabytes:.0f} MB, {seconds:.1f} s"
        f" (at most {MEMORY_LIMIT_MB} MB) {'ok' if good else 'MISSED'}",
        flush=True,
    )
    return good


def _seconds(files: Files) -> float:
    """Seconds of the processor that migrating takes, with the diff and all reports."""
    with tempfile.TemporaryDirectory() as folder:
        _write(Path(folder), files.items())
        start = time.process_time()
        report = migrate(load(Path(folder), diff=True, jobs=1))
        unified(report)
        for format in FORMATS:
            render(report, format)
        return time.process_time() - start


def _write(folder: Path, files: Iterable[tuple[str, str]]) -> None:
    for path, text in files:
        (folder / path).write_bytes(text.encode())


if __name__ == "__main__":
    sys.exit(main())
