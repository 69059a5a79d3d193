"""Record which environment variables of CUDA the user's program reads and sets.

This starts before the program, because programs set such variables before any import.
"""

import os
import sys

from ascendify_runtime import findings

READ = "read"
SET = "set"
INSTEAD = {
    "CUDA_VISIBLE_DEVICES": "ASCEND_RT_VISIBLE_DEVICES, with device numbers in ascending order",
    "CUDA_LAUNCH_BLOCKING": "ASCEND_LAUNCH_BLOCKING",
    "PYTORCH_CUDA_ALLOC_CONF": "PYTORCH_NPU_ALLOC_CONF",
    "NCCL_SOCKET_IFNAME": "HCCL_SOCKET_IFNAME",
}
"""Variables with a counterpart on the NPU, and that counterpart."""
_PREFIXES = ("CUDA_", "PYTORCH_CUDA_", "NCCL_", "CUBLAS_", "CUDNN_", "NVIDIA_")

touched = {}
"""(name, read or set, line of the program) -> how often."""


def begin():
    """Watch ``os.environ`` from now on."""
    kind = type(os.environ)
    get, put = kind.__getitem__, kind.__setitem__

    def __getitem__(self, key):
        if self is os.environ:
            _note(key, READ)
        return get(self, key)

    def __setitem__(self, key, value):
        if self is os.environ:
            _note(key, SET)
        put(self, key, value)

    kind.__getitem__ = __getitem__
    kind.__setitem__ = __setitem__


def _note(key, how):
    if not isinstance(key, str) or not key.startswith(_PREFIXES):
        return
    frame = sys._getframe(2)
    while frame is not None and _is_plumbing(frame.f_code.co_filename):
        frame = frame.f_back
    if frame is not None and findings.is_user_file(frame.f_code.co_filename):
        entry = (key, how, (os.path.realpath(frame.f_code.co_filename), frame.f_lineno))
        touched[entry] = touched.get(entry, 0) + 1


def _is_plumbing(path):
    """Whether a file belongs to ``os`` or to the base classes of mappings."""
    return path.startswith("<") or os.path.basename(path) in ("os.py", "_collections_abc.py")
