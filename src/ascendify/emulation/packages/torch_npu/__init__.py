"""Stand-in for torch_npu, for machines without an NPU.

Importing it does what importing the real package does, in the same order: register the device type
`npu` with its module and kernels, then distributed backends, operators and patches.
"""

import os as _os
import sys as _sys

_autoload_before = _os.environ.get("TORCH_DEVICE_BACKEND_AUTOLOAD")
# importing torch would look for device backends, find this package and import it once more
_os.environ["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"

import torch  # noqa: E402

from torch_npu import _torch_version  # noqa: E402

_torch_version.check_torch(torch.__version__)


def _autoload():
    """Restore torch's switch for autoloading; torch calls this when it loads device backends."""
    if _autoload_before is None:
        _os.environ.pop("TORCH_DEVICE_BACKEND_AUTOLOAD", None)
    else:
        _os.environ["TORCH_DEVICE_BACKEND_AUTOLOAD"] = _autoload_before


_autoload()

from torch_npu import _release  # noqa: E402

__version__ = _release.choose(torch.__version__).version

from torch_npu import _metadata  # noqa: E402

_metadata.install(__version__)

from torch_npu._device import device_type as _device_type  # noqa: E402

_device_type.name_device_type()

from torch_npu import npu  # noqa: E402

_device_type.register_module(npu)

from torch_npu import _device  # noqa: E402

_device.install()

from torch_npu import _distributed  # noqa: E402

_distributed.install()

from torch_npu import _ops  # noqa: E402
from torch_npu._C import _distributed_c10d as _distributed_c10d  # noqa: E402

_ops.install(_sys.modules[__name__])

from torch_npu import contrib, distributed, dynamo, optim, profiler, utils  # noqa: E402

dynamo.install()

from torch_npu.contrib import _environment_switch  # noqa: E402

_environment_switch.follow_environment()

from torch_npu import _watch  # noqa: E402

_watch.begin()

_release.trim()

from torch_npu import _report  # noqa: E402

_report.report_path(torch.__version__, __version__)
