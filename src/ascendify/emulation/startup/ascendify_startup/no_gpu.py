"""Hides the GPUs of this machine from the process, whatever the program does about it.

CUDA and ROCm read from environment variables which GPUs they may use, when a program first asks for
one. Many programs set such a variable themselves (``os.environ["CUDA_VISIBLE_DEVICES"] = "0"``),
and shell scripts set it for the Python they start. Here the program may set it and read its own
value back; the libraries, and the processes that are started, get the value that hides every GPU.
"""

import os

from ascendify_startup import import_hooks

_OWN = "ASCENDIFY_OWN_"
"""Before the name of a variable: what the program has set, for processes that it starts."""


def begin(values):
    """Hide GPUs with ``NAME=VALUE`` pairs, separated by spaces: the variables and what hides."""
    hidden = dict(pair.split("=", 1) for pair in values.split())
    put, unset = os.putenv, os.unsetenv
    for name, value in hidden.items():
        put(name, value)

    def putenv(name, value):
        name = os.fsdecode(name)
        put(_OWN + name if name in hidden else name, value)

    def unsetenv(name):
        name = os.fsdecode(name)
        unset(_OWN + name if name in hidden else name)

    # `os.environ` calls the functions of the module; before Python 3.9, attributes of its own
    os.putenv, os.unsetenv = putenv, unsetenv
    for environ in (os.environ, getattr(os, "environb", None)):
        if hasattr(environ, "putenv"):
            environ.putenv, environ.unsetenv = putenv, unsetenv
    for name, value in hidden.items():
        own = os.environ.pop(_OWN + name, None)
        if own is not None and os.environ.get(name) == value:
            os.environ[name] = own
    import_hooks.after("torch", _count_by_the_library)


def _count_by_the_library():
    """Have torch count GPUs with CUDA alone.

    It prefers to ask the driver's management library and to read the variable in Python, where the
    program's own value is found.
    """
    import torch

    for name in ("_device_count_nvml", "_device_count_amdsmi"):
        if hasattr(torch.cuda, name):
            setattr(torch.cuda, name, lambda: -1)
