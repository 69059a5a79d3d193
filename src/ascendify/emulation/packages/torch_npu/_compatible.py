"""What to say where this release of torch lacks something, and which release has it.

A real ``torch_npu`` that is installed is no reason to stop: this package is found before it only
because somebody asked for the emulation, and without an NPU the real one cannot be imported.
"""

import re

_OLDEST = (2, 1)
"""The first release of torch that a torch_npu with today's names exists for."""


def check_torch(version):
    """Raise unless this version of torch can have an emulated NPU at all."""
    if _numbers(version) < _OLDEST:
        raise ImportError(
            lacking("an emulated NPU", version, ".".join(map(str, _OLDEST)))
            + ' (for example: pip install "torch==2.1.*"), or run on a real NPU.'
        )


def lacking(what, version, nearest):
    """The words for something that a release of torch cannot have, naming the nearest that can.

    Args:
        what: What the program asked for, such as ``torch.accelerator``.
        version: The release that is installed, as ``torch.__version__`` tells.
        nearest: The release nearest to it that has it, such as ``2.6``.
    """
    return (
        "ascendify: %s is not possible with torch %s; the nearest release that has it is torch %s"
        % (
            what,
            version,
            nearest,
        )
    )


def _numbers(version):
    return tuple(int(number) for number in re.match(r"(\d+)\.(\d+)", version).groups())
