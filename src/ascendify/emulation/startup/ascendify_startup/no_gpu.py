"""Hide the GPUs of this machine from the process, even if the program sets variables for them.

CUDA and ROCm read environment variables that say which GPUs they may use, at the first use of a
GPU. Many programs set such a variable themselves (``os.environ["CUDA_VISIBLE_DEVICES"] = "0"``),
and shell scripts set it for the Python they start. Here the program may set it and read its own
value back; the libraries and child processes get the value that hides every GPU.
"""

import os

from ascendify_startup import import_hooks

_OWN = "ASCENDIFY_OWN_"
"""Prefix of the variables that pass the program's own values to its child processes."""


def begin(values):
    """Hide GPUs; ``values`` has pairs ``NAME=VALUE``, separated by spaces, that hide them."""
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

    # `os.environ` calls the functions of `os`; before Python 3.9, its own attributes
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
    """Make torch count GPUs with CUDA only.

    By default it calls the driver's management library and reads the variable in Python, where it
    would find the program's own value.
    """
    import torch

    for name in ("_device_count_nvml", "_device_count_amdsmi"):
        if hasattr(torch.cuda, name):
            setattr(torch.cuda, name, lambda: -1)
