"""torch_npu.utils.cpp_extension: C++ extensions for the NPU, which cannot be built here."""

_WHY = (
    "%s: C++ extensions for the NPU need torch_npu's headers and libraries and run on a real NPU "
    "only. Build them there; guard the import of the extension for runs on the emulation."
)


def NpuExtension(name, sources, *arguments, **named):
    """Raise an error: extensions cannot be built here."""
    raise RuntimeError(_WHY % ("NpuExtension(%r)" % name))


def load(name, sources, *arguments, **named):
    """Raise an error: extensions cannot be built here."""
    raise RuntimeError(_WHY % ("torch_npu.utils.cpp_extension.load(%r)" % name))


class TorchExtensionHelper:
    """A helper of old torch_npu versions."""

    def __init__(self, *arguments, **named):
        raise RuntimeError(_WHY % "TorchExtensionHelper")
