"""Explain from the last lines of a log why a script failed under emulation."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator, Sequence

from ascendify.emulation import own_failures
from ascendify.emulation.paths import HOROVOD, PACKAGES, STARTUP

OLDEST_PYTHON = (3, 6)
"""The oldest interpreter the stand-ins run on."""
CONSEQUENCE = re.compile(
    r"^([\w.]+: )?([\w.]+\.)?CollectiveError\b"
    r"|^([\w.]+\.)?(RuntimeError|DistBackendError|DistNetworkError): .*"
    r"(Connection (closed|reset) by peer|Broken pipe|failed to recv|Connection was likely closed"
    r"|own errors? first)"
)
"""Errors of a rank that fails only because another rank has exited."""

_FRAME = re.compile(r'(\s*)File "(.+)", line \d+')
_CHATTER = re.compile(r"\d{4}-\d\d-\d\d [\d:.]+: [IW] (tensorflow|external)/")
"""Lines that TensorFlow prints about the machine when it starts."""
_LIBRARIES = ("/site-packages/", "/dist-packages/", "/lib/python3", "<frozen ", "<npu kernel ")
"""Parts of paths of code that is not the user's."""
_LINES_SHOWN = 40
_OTHER_VERSION = (
    "the script is written for TensorFlow 1 and the interpreter has version 2; "
    "name one with TensorFlow 1.15"
)
_BY_LAST_WORDS: tuple[tuple[str, str], ...] = (
    (
        r"No module named '?tensorflow'?$",
        "the interpreter has no TensorFlow; name one that has, such as venv/bin/python",
    ),
    (r"No module named '?tensorflow\.contrib", _OTHER_VERSION),
    (r"module '?tensorflow\S* has no attribute '(contrib|[A-Z]\w*|placeholder)", _OTHER_VERSION),
    (
        r"No module named '?torch'?$",
        "the interpreter has no PyTorch; name one that has, such as venv/bin/python",
    ),
    (
        r"Torch not compiled with CUDA enabled|Found no NVIDIA driver|No CUDA GPUs are available",
        "a .cuda() or a device 'cuda' is left: in the code, where ascendify check finds it, or in "
        "an option of the command, such as --device cuda (verify takes another command for the "
        "migrated project by --migrated)",
    ),
    (
        r"Expected all tensors to be on the same device.*npu|Expected .* npu:\d.* but got .*cpu",
        "a tensor was left on the host; move it to the device of the model",
    ),
    (
        r"can't convert npu:\d+ device type tensor to numpy",
        "NumPy reads tensors of the host only; call .cpu() first",
    ),
    (
        r"Attempting to deserialize object on a CUDA device",
        "the file was written on a GPU; load it with map_location='cpu'",
    ),
    (
        r"Cannot re-initialize NPU in forked subprocess",
        "processes that use the NPU are spawned, not forked; datasets keep tensors on the host",
    ),
    (
        r"KeyError: '(LOCAL_RANK|RANK|WORLD_SIZE|MASTER_ADDR|MASTER_PORT)'|expected, but not set",
        "the script expects a launcher: ascendify run --devices 2 -- torchrun --nproc_per_node=2 "
        "train.py, or --devices 2 and the script alone",
    ),
    (
        r"No module named '?(npu_bridge|npu_device|hccl|torch_npu|ascendify_runtime)\b",
        "the stand-ins were not found: a script that sets PYTHONPATH must keep its old value",
    ),
    (
        r"has DataType float64 not in list of allowed values: float16, float32",
        "the NPU's operators take float16 and float32: make the data float32 where it is read, as "
        "with images.astype('float32'), in the original too if the numbers are to be compared",
    ),
    (
        r"Could not run '[^']+' with arguments from the 'CPU' backend",
        "this operator does not exist on the CPU: move its tensors to the device; the emulation "
        "and a pretended GPU compute on the CPU, so the program must do without it there",
    ),
    (
        r"Could not run '[^']+' with arguments from the '(PrivateUse1|npu)' backend",
        "there is no kernel of this operator for the NPU; ascendify api NAME says whether real "
        "ones have it",
    ),
    (
        r"lib(ascend\w*|hccl|acl\w*|ge_runner|runtime)\.so\S*: cannot open shared object file",
        "a real package of the NPU was imported, which needs CANN (source its set_env.sh); under "
        "emulation the stand-in comes first in PYTHONPATH, and whatever changes PYTHONPATH or "
        "sys.path must leave it there",
    ),
    (
        r"No module named '?horovod\b",
        "Horovod does not run on NPUs; ascendify check lists what is left to migrate",
    ),
    (
        r"\b(horovodrun|mpirun): (command )?not found",
        "ascendify run --devices N starts the ranks; give it the command behind the launcher",
    ),
    (
        r"Could not start gRPC server|Address already in use",
        "another process has a port the script names; it may be a training left from before",
    ),
    (
        r"FileNotFoundError: .*: '[^/]|\bNotFoundError: [^/\s]\S*; No such file",
        "relative paths start where the command does, in the folder of the project; a script that "
        "expects another one is run with: sh -c 'cd FOLDER && python train.py'",
    ),
    (
        r"No module named '?numpy'?$",
        "the interpreter has no packages; name that of your environment",
    ),
    (
        r"ModuleNotFoundError: No module named '",
        "a package that the interpreter lacks: name that of your environment; or a module of the "
        "project, whose script expects another folder: sh -c 'cd FOLDER && python train.py'",
    ),
)
_VALUE = re.compile(r"(\{.*\}|\[.*\]|\(.*\)|<.* object at 0x[0-9a-f]+>)$")
"""What ``sys.exit`` prints for a value that is neither a number nor a text."""
_EXIT_WITH_A_VALUE = (
    "if this value is what main() returns, nothing went wrong: app.run and sys.exit(main()) take "
    "it for a failure; let main() return nothing"
)
_BY_SIGNAL = {
    signal.SIGKILL: "something else killed it; most often the machine has run out of memory",
    signal.SIGILL: "its TensorFlow needs instructions this CPU lacks; take a build without AVX",
}


def explain(last_lines: Sequence[str], ended_by: int | None) -> str:
    """Return what to do about a failure; empty if nothing is known."""
    if ended_by is None and own_failures.is_ours(last_lines):
        return own_failures.REPORT
    if ended_by is not None:
        return _BY_SIGNAL.get(signal.Signals(ended_by), "") if _is_known(ended_by) else ""
    for line in reversed(last_lines):
        for pattern, advice in _BY_LAST_WORDS:
            if re.search(pattern, line.strip()):
                return advice
    raised = any(line.startswith("Traceback") for line in last_lines)
    return _EXIT_WITH_A_VALUE if not raised and _VALUE.match("".join(last_lines[-1:])) else ""


def without_libraries(last_lines: Sequence[str]) -> tuple[str, ...]:
    """Remove the frames of libraries and stand-ins from tracebacks at the end of a log.

    TensorFlow prints where a failing operator was made: dozens of frames, of which a few are the
    user's. PyTorch prints everything that an operator is registered for. Where the fault is ours,
    the first line says so, and the frames of the stand-ins are kept.
    """
    ours = own_failures.is_ours(last_lines)
    lines = tuple(
        _users_lines(tuple(own_failures.without_dispatch_keys(last_lines)), keep_ours=ours)
    )
    shown = lines[-_LINES_SHOWN:]
    return (own_failures.INTRODUCTION, *shown) if ours else shown


def _users_lines(lines: Sequence[str], *, keep_ours: bool = False) -> Iterator[str]:
    frame_indent: int | None = None
    for line in lines:
        if not line.strip() or _CHATTER.match(line):
            continue
        if frame_indent is not None and len(line) - len(line.lstrip()) > frame_indent:
            continue
        frame = _FRAME.match(line)
        left_out = frame is not None and _is_library(frame[2], keep_ours=keep_ours)
        frame_indent = len(frame[1]) if frame and left_out else None
        if frame_indent is None:
            yield line


def _is_library(path: str, *, keep_ours: bool) -> bool:
    if path.startswith((str(PACKAGES), str(STARTUP), str(HOROVOD))):
        return not keep_ours
    return any(part in path for part in _LIBRARIES)


def is_consequence(last_lines: Sequence[str]) -> bool:
    """Whether a rank failed only because another rank had exited."""
    return any(CONSEQUENCE.match(line) for line in last_lines)


def _is_known(number: int) -> bool:
    return number in {each.value for each in signal.Signals}
