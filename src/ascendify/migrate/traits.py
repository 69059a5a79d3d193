"""Traits of one file: properties that are found in its text, without parsing it.

Traits of Python files and notebooks depend on the bytes of the file and on nothing else.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ascendify.catalog import cuda_packages
from ascendify.migrate import notebook, tensorflow_evidence
from ascendify.migrate.tensorflow_evidence import Evidence
from ascendify.source.project import imported_names

_WORDS = (b"cuda", b"CUDA_", b"nccl", b"nvidia")
_IMPORTED = (b"tensorflow", b"keras", b"horovod", b"tf_slim", b"npu_bridge", b"npu_device", b"hccl",
             b"torch", b"lightning", b"accelerate", b"transformers")  # fmt: skip
_CUDA_PACKAGES = re.compile(
    rb"^\s*(?:import|from)\s+(?:%s)\b"
    % b"|".join(
        re.escape(name).encode()
        for package in cuda_packages.all_packages()
        for name in package.imports
    ),
    re.M,
)
"""A Python file that mentions none of the words, imports none of the packages, and no file that
does, concerns no rule."""
_JOINED = (b"\\", b"\\\r")
"""Characters before a newline that does not end a statement."""
_MAIN_GUARD = re.compile(rb"^if\s+\(?__name__\s*==\s*['\"]__main__['\"]", re.M)
_APP_RUN = re.compile(rb"^(?:\w+\.)*app\.run\(", re.M)
_LAUNCHED = re.compile(rb"\bpython[0-9.]*\s+(?:-[^m\s]\S*\s+)*([\w./-]+\.py)\b")
_LAUNCHED_BY = re.compile(
    rb"\b(?:torchrun|torch_npu_run|accelerate\s+launch|deepspeed"
    rb"|python[0-9.]*\s+-m\s+torch\.distributed\.(?:launch|run))\b"
    rb"(?:[^\n;|&]|\\\n)*?\s([\w./-]+\.py)\b"
)
_LAUNCHED_MODULE = re.compile(rb"\b(?:python[0-9.]*|torchrun\b[^\n;|&]*?)\s+-m\s+([A-Za-z_][\w.]*)")
_RUNS = re.compile(rb"^(?:for|while|with)\b|^torch\.|^\w[\w, ]*=.*\.parse_args\(", re.M)
"""Calls at module level that only a PyTorch script without a main guard makes."""
_STRATEGY = re.compile(
    rb"\b(?:Mirrored|MultiWorkerMirrored|CollectiveAllReduce|CentralStorage|OneDevice)Strategy\b"
    rb"|\btrain_distribute\s*=(?!\s*None\b)|\bmulti_gpu_model\b|\bCrossShardOptimizer\b"
    rb"|\btower_grad\w*|\baverage_(?:gradients|grads_and_vars)\b"
)
_STRATEGY_WORDS = (
    b"Strategy", b"train_distribute", b"multi_gpu_model", b"tower_grad", b"average_grad",
    b"CrossShardOptimizer",
)  # fmt: skip
_HOROVOD = re.compile(rb"^\s*(?:import|from)\s+horovod\b", re.M)
_TENSORFLOW = re.compile(
    rb"^\s*(?:import|from)\s+(?:tensorflow|keras|tf_slim|npu_bridge|npu_device)\b", re.M
)
_TORCH = re.compile(
    rb"^\s*(?:import|from)\s+(?:torch\w*|transformers|accelerate|(?:pytorch_)?lightning|deepspeed)\b",
    re.M,
)
_DEFINED = re.compile(rb"^\s+def\s+(cuda|is_cuda|npu|is_npu)\s*\(", re.M)
_HCCL = re.compile(rb"^\s*(?:import|from)\s+(?:npu_bridge\.)?hccl\b", re.M)
"""The NPU's collectives: training was already made to run on several devices."""


@dataclass(frozen=True)
class Traits:
    """Properties of one file for the survey."""

    size: int = 0
    relevant: bool = False
    """Whether it may concern a rule by its own text."""
    frameworks: frozenset[str] = frozenset()
    """The frameworks it trains with, by its imports: ``tensorflow``, ``torch``, both or neither."""
    horovod: bool = False
    strategy: bool = False
    """Whether it trains on several devices: ``tf.distribute``, a tower for each, TPU cores."""
    hccl: bool = False
    """Whether it uses the NPU's collectives, so was already made to run on several devices."""
    starts: bool = False
    """Whether it is a program: it has a main guard or an app runner."""
    runs: bool = False
    """Whether it trains with PyTorch as soon as it is executed, without a main guard."""
    methods: frozenset[str] = frozenset()
    """Names of torch's device methods that its classes define themselves."""
    imports: tuple[str, ...] = ()
    """Dotted origins of its imports."""
    tensorflow: Evidence | None = None
    """What it says about its release of TensorFlow, None when it uses none."""


def of_python(content: bytes) -> Traits:
    """Read the traits of a Python file."""
    imports = tuple(imported_names(content.decode("utf-8", errors="replace")))
    starts = _has(_MAIN_GUARD, content, b"__main__") or _has(_APP_RUN, content, b"app.run")
    if not _is_relevant(content):
        return Traits(len(content), starts=starts, imports=imports)
    return Traits(
        len(content),
        relevant=True,
        frameworks=_frameworks(content),
        horovod=_has(_HOROVOD, content, b"horovod"),
        strategy=_has(_STRATEGY, content, *_STRATEGY_WORDS),
        hccl=_has(_HCCL, content, b"hccl"),
        starts=starts,
        runs=not starts and _is_torch_script(content),
        methods=_device_methods(content),
        imports=imports,
        tensorflow=tensorflow_evidence.read(content),
    )


def of_notebook(content: bytes) -> Traits:
    """Read the traits of a notebook from its code; what it printed may speak of another release."""
    code = notebook.code(content)
    return Traits(frameworks=_frameworks(code), tensorflow=tensorflow_evidence.read(code))


def launched_files(path: str, content: bytes) -> set[str]:
    """Return the Python files that a launch script starts, by their likely paths in the project."""
    folder = path.rpartition("/")[0]
    found = {
        match.decode("ascii", "replace").replace(".", "/") + ".py"
        for match in _LAUNCHED_MODULE.findall(content)
    }
    for match in (*_LAUNCHED.findall(content), *_LAUNCHED_BY.findall(content)):
        name = match.decode("utf-8", "replace")
        found.add(name[2:] if name.startswith("./") else name)
        if folder:
            found.add(f"{folder}/{name}")
    return found


def _is_relevant(content: bytes) -> bool:
    """Whether a file may concern a rule by its own text.

    Packages are looked for where the text imports something: looking for each of them in all of
    it takes longer than reading the file.
    """
    for word in _WORDS:
        if word in content:
            return True
    lines = []
    found = content.find(b"import")
    while found >= 0:
        start, end = _line_around(content, found)
        lines.append(content[start:end])
        found = content.find(b"import", end)
    importing = b"\n".join(lines)
    if any(package in importing for package in _IMPORTED):
        return True
    return _CUDA_PACKAGES.search(importing) is not None


def _line_around(content: bytes, place: int) -> tuple[int, int]:
    """Return start and end of the line at a position, with lines that a backslash joins to it."""
    start = content.rfind(b"\n", 0, place)
    while start > 0 and content.endswith(_JOINED, 0, start):
        start = content.rfind(b"\n", 0, start)
    end = content.find(b"\n", place)
    while end > 0 and content.endswith(_JOINED, 0, end):
        end = content.find(b"\n", end + 1)
    return start + 1, len(content) if end < 0 else end


def _is_torch_script(content: bytes) -> bool:
    """Whether a file that is not imported by others trains as soon as it is executed."""
    return _has(_TORCH, content, b"torch") and _RUNS.search(content) is not None


def _frameworks(content: bytes) -> frozenset[str]:
    found = set()
    if _has(_TENSORFLOW, content, b"tensorflow", b"keras", b"tf_slim", b"npu_"):
        found.add("tensorflow")
    if _has(_TORCH, content, b"torch", b"transformers", b"accelerate", b"lightning"):
        found.add("torch")
    return frozenset(found)


def _device_methods(content: bytes) -> frozenset[str]:
    if b"def cuda" in content or b"def npu" in content or b"def is_" in content:
        return frozenset(name.decode() for name in _DEFINED.findall(content))
    return frozenset()


def _has(pattern: re.Pattern[bytes], content: bytes, *words: bytes) -> bool:
    """Whether a pattern occurs; searching first for a text that it needs is many times faster."""
    return any(word in content for word in words) and pattern.search(content) is not None
