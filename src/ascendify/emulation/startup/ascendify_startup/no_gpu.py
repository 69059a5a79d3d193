"""Hides the GPUs of this machine from the process, whatever the program does about it.

CUDA and ROCm read from environment variables which GPUs they may use, when a program first asks for
one. Many programs set such a variable themselves (``os.environ["CUDA_VISIBLE_DEVICES"] = "0"``),
and shell scripts set it for the Python they start. Here the program may set it and read its own
value back; the libraries, and the processes that are started, get the value that hides every GPU.
"""

import os

from ascendify_startup import imports


def begin(values):
    """Hide GPUs with ``NAME=VALUE`` pairs, separated by spaces: the variables and what hides."""
    hidden = dict(pair.split("=", 1) for pair in values.split())
    put, unset = os.putenv, os.unsetenv
    for name, value in hidden.items():
        put(name, value)

    def putenv(name, value):
        if _text(name) not in hidden:
            put(name, value)

    def unsetenv(name):
        if _text(name) not in hidden:
            unset(name)

    # `os.environ` calls the functions of the module; before Python 3.9, attributes of its own
    os.putenv, os.unsetenv = putenv, unsetenv
    for environ in (os.environ, getattr(os, "environb", None)):
        if hasattr(environ, "putenv"):
            environ.putenv, environ.unsetenv = putenv, unsetenv
    imports.after("torch", _count_by_the_library)


def _text(name):
    return os.fsdecode(name)


def _count_by_the_library():
    """Have torch count GPUs with CUDA alone.

    It prefers to ask the driver's management library and to read the variable in Python, where the
    program's own value is found.
    """
    import torch

    for name in ("_device_count_nvml", "_device_count_amdsmi"):
        if hasattr(torch.cuda, name):
            setattr(torch.cuda, name, lambda: -1)
