"""Record findings of strict mode: what the device would refuse, and the line that does it.

A finding is one line of JSON in the file that ``ASCENDIFY_FINDINGS`` names, or a line on standard
error if the variable is not set. Outside strict mode nothing is checked or written.
"""

import json
import os
import sys
import threading

BLOCKER = "blocker"
MANUAL = "manual"
AUTO_CHECK = "auto-check"
INFO = "info"

_PACKAGES = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_STARTUP = os.path.join(os.path.dirname(_PACKAGES), "startup")
_STANDARD_LIBRARY = os.path.dirname(os.path.abspath(os.__file__))
_INSTALLED = (os.sep + "site-packages" + os.sep, os.sep + "dist-packages" + os.sep)
_FRAMEWORKS = tuple(
    os.sep + name + os.sep
    for name in ("tensorflow", "tensorflow_core", "tensorflow_estimator", "keras")
)

_lock = threading.Lock()
_recorded = set()
_lines = set()
_is_user_file = {}
_ranks = {}
"""The last known rank by process id; the process group may be gone when the process exits."""


def strict():
    """Whether strict mode is on."""
    return os.environ.get("ASCENDIFY_STRICT") == "1"


def record(code, status, found, todo, place=None):
    """Record a finding once; ``place`` is (path, line), by default the user's innermost line."""
    if not strict():
        return
    path, line = place or user_place() or _main_script() or ("", 0)
    key = (code, path, line, found)
    with _lock:
        if key in _recorded:
            return
        _recorded.add(key)
    write(
        {
            "code": code,
            "status": status,
            "path": path,
            "line": line,
            "found": found,
            "todo": todo,
            "rank": rank(),
        }
    )


def record_once_a_line(code, status, found, todo, place):
    """Record only the first finding with this code on a line; the others usually follow from it."""
    if place is not None:
        if (code, place) in _lines:
            return
        _lines.add((code, place))
    record(code, status, found, todo, place)


def record_early_query(what):
    """Record a query of rank or size before the collectives were initialised."""
    record(
        "EMU-HCCL-1",
        MANUAL,
        "the {} is queried before the collectives are initialised".format(what),
        "Query it after init_resource(), or after a session ran npu_ops.initialize_system().",
    )


def write(entry):
    """Append one entry to the findings file of this process."""
    name = os.environ.get("ASCENDIFY_FINDINGS")
    if name:
        # one write call: the processes of a job that starts its own ranks share the file
        line = (json.dumps(entry, sort_keys=True) + "\n").encode("utf-8")
        with _lock, open(name, "ab", buffering=0) as stream:
            stream.write(line)
    elif "code" in entry:
        where = "{path}:{line}: ".format(**entry) if entry["path"] else ""
        text = "ascendify: " + where + "{code} ({status}): {found} {todo}".format(**entry)
        sys.stderr.write(text.rstrip() + "\n")


def rank():
    """Return the rank of this process; 0 if it has none, or has a pod name instead."""
    for name in ("RANK", "RANK_ID"):
        value = os.environ.get(name, "")
        if value.isdigit():
            return int(value)
    # processes that a PyTorch script has spawned have no such variables
    distributed = sys.modules.get("torch.distributed")
    if distributed is not None and distributed.is_available() and distributed.is_initialized():
        _ranks[os.getpid()] = distributed.get_rank()
    return _ranks.get(os.getpid(), 0)


def user_place(source=None):
    """Return (path, line) of the user's innermost frame; None if no frame is the user's.

    ``source`` is a tf.Operation (then the stack that created it), a traceback as TensorFlow keeps
    it, or nothing (then the running stack).
    """
    if source is None:
        frames = _running_frames()
    else:
        frames = reversed(creation_frames(source))
    fallback = None
    for path, line, _ in frames:
        kind = kind_of_file(path)
        if kind == "user":
            return _absolute(path), line
        if kind == "other" and fallback is None:
            fallback = (_absolute(path), line)
    return fallback


def is_user_file(path):
    """Whether a file is part of the user's program."""
    return kind_of_file(path) == "user"


def _main_script():
    path = sys.argv[0] if sys.argv else ""
    return (_absolute(path), 1) if os.path.isfile(path) and is_user_file(path) else None


def _running_frames():
    frame = sys._getframe(2)
    while frame is not None:
        yield frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name
        frame = frame.f_back


def creation_frames(source):
    """Return (path, line, function) of each frame that made a tf.Operation, the outermost first.

    There are none if a SavedModel was loaded with it. A traceback as TensorFlow keeps it is
    taken, too.
    """
    # ``traceback`` of TensorFlow 1.15 reads every source file of the stack; the raw one does not.
    raw = getattr(source, "_traceback", None)
    if raw is None:
        raw = getattr(source, "traceback", source)
    return [_frame(item) for item in raw or ()]


def _frame(item):
    if hasattr(item, "filename"):
        return item.filename, item.lineno, item.name
    return item[0], item[1], item[2]


def kind_of_file(path):
    """Return ``user``, ``other`` (a program outside the project's folder) or ``library``."""
    found = _is_user_file.get(path)
    if found is None:
        found = _is_user_file[path] = _classify(path)
    return found


def _classify(path):
    if path.startswith("<"):
        return "library"
    full = _absolute(path)
    if _below(full, _PACKAGES) or _below(full, _STARTUP):
        return "library"
    if any(part in full for part in _INSTALLED) or _below(full, _STANDARD_LIBRARY):
        return "library"
    root = os.environ.get("ASCENDIFY_ROOT")
    if root:
        return "user" if _below(full, _absolute(root)) else "other"
    return "library" if any(part in full for part in _FRAMEWORKS) else "user"


def _below(path, folder):
    return path.startswith(folder.rstrip(os.sep) + os.sep)


def _absolute(path):
    return os.path.realpath(path)
