"""Shorten PyTorch's longest error messages, and mark errors that are our own mistakes.

PyTorch's message for a missing kernel lists everything the operator is registered for: sixty lines
after the one that matters. And a mistake in a stand-in must not look like a mistake of the program
that called it.
"""

import linecache
import os
import platform
import re
import sys
import threading
import traceback

_OURS = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))) + os.sep
"""The folder of the stand-ins and of the start-up code."""
_GENERATED = "<npu kernel"
_ACCIDENTS = (AttributeError, KeyError, AssertionError, NameError, ImportError)
_NO_KERNEL = re.compile(
    r"(Could not run '[^']+' with arguments from the '\w+' backend\.) .*"
    r"is only available for these backends: \[([^\]]*)\]?\.?"
)
_NO_TENSORS = re.compile(
    r"(There were no tensor arguments to this function).*Available functions.*"
)
_REGISTRATION = re.compile(r"^\w+: (fallthrough )?registered at .+\[[\w ]+\]$")
_MISSING = re.compile(r"(?:has no attribute|^name) '(\w+)'")
"""What messages say of an attribute or a name that does not exist."""
_DEVICES = ("CPU", "CUDA", "HIP", "MPS", "XPU", "XLA", "SparseCUDA", "QuantizedCUDA")


def begin():
    """Change how Python prints uncaught errors and formats tracebacks."""
    _shorten_texts(traceback.TracebackException)
    usual = sys.excepthook

    def excepthook(kind, error, trace):
        if is_ours(error, trace):
            sys.stderr.write(introduction() + "\n")
        if usual is sys.__excepthook__ and _is_long(error):
            traceback.print_exception(kind, error, trace)
        else:
            usual(kind, error, trace)

    sys.excepthook = excepthook
    _shorten_in_threads()


def shorten(text):
    """Return a message without the list of what an operator is registered for."""
    if "registered at" not in text and "these backends: [" not in text:
        return text
    lines = [line for line in text.split("\n") if not _REGISTRATION.match(line)]
    short = [_NO_TENSORS.sub(r"\1.", _NO_KERNEL.sub(_first_sentence, line)) for line in lines]
    return "\n".join(short).rstrip("\n") + "\n" * (len(text) - len(text.rstrip("\n")))


def _first_sentence(found):
    devices = [name for name in re.findall(r"\w+", found.group(2)) if name in _DEVICES]
    if not devices:
        return found.group(1) + " This build of PyTorch has it for no device."
    return "%s PyTorch has this operator only for %s." % (found.group(1), ", ".join(devices))


def _may_raise(line, error):
    """Whether a line can be where an error began, as the end of its traceback says.

    Keras takes the frames of TensorFlow out of tracebacks, so that a line of ours which only calls
    the user's model stands last. An attribute or name that is missing is then not in the line.
    """
    missing = _MISSING.search(str(error)) if line else None
    return missing is None or missing.group(1) in line


def is_ours(error, trace):
    """Whether an error is a mistake in our code; intended refusals end in a `raise` statement."""
    if "INTERNAL ASSERT FAILED" in str(error):
        # an emulated device can cause states that PyTorch never expects
        return (getattr(sys.modules.get("torch_npu"), "__file__", None) or "").startswith(_OURS)
    if trace is None or not isinstance(error, _ACCIDENTS):
        return False
    if isinstance(error, ModuleNotFoundError):
        return False  # a package is missing in the user's environment
    while trace.tb_next is not None:
        trace = trace.tb_next
    path = trace.tb_frame.f_code.co_filename
    if not path.startswith((_OURS, _GENERATED)):
        return False
    line = linecache.getline(path, trace.tb_lineno).strip()
    return not line.startswith("raise") and _may_raise(line, error)


def introduction():
    """Return the first line of an error of ours, with the versions that a bug report needs."""
    versions = ["Python " + platform.python_version(), platform.system(), platform.machine()]
    for name in ("torch", "tensorflow"):
        version = getattr(sys.modules.get(name), "__version__", None)
        if version is not None:
            versions.insert(0, "%s %s" % (name, version))
    return (
        "ascendify: this failure is ascendify's own, not your project's; "
        "please report it with what follows (%s)" % ", ".join(versions)
    )


def _is_long(error):
    seen = set()  # an error may be its own cause
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        text = str(error)
        if shorten(text) != text:
            return True
        error = error.__cause__ or error.__context__
    return False


def _shorten_in_threads():
    """Replace the function that prints uncaught errors of threads (Python 3.8 and newer)."""
    usual = getattr(threading, "excepthook", None)
    if usual is None:
        return

    def excepthook(args):
        if args.exc_value is None or not _is_long(args.exc_value):
            usual(args)
            return
        name = getattr(args.thread, "name", threading.get_ident())
        sys.stderr.write("Exception in thread %s:\n" % (name,))
        traceback.print_exception(args.exc_type, args.exc_value, args.exc_traceback)

    threading.excepthook = excepthook


def _shorten_texts(cls):
    """Shorten the texts of `traceback`, which processes also use to pass errors to others."""
    usual = cls.format_exception_only

    def format_exception_only(self, *args, **kwargs):
        for text in usual(self, *args, **kwargs):
            yield shorten(text)

    cls.format_exception_only = format_exception_only
