"""Pretend that TensorFlow has one GPU; operations stay on the CPU.

For original projects that do not start, or build another model, without a GPU.
"""

from ascendify_startup import import_hooks

NAME = "/device:GPU:0"
DESCRIPTION = "device: 0, name: pretended, pci bus id: 0000:00:00.0, compute capability: 7.0"
MEMORY = 16 << 30
SETTERS = (
    "set_memory_growth",
    "set_visible_devices",
    "set_virtual_device_configuration",
    "set_logical_device_configuration",
)


def begin():
    """Pretend a GPU as soon as TensorFlow is imported."""
    import_hooks.after("tensorflow", _patch)


def _patch():
    import tensorflow
    from tensorflow.python.client import device_lib
    from tensorflow.python.framework import test_util

    _list_local_devices(device_lib)
    for module in (tensorflow.test, tensorflow.compat.v1.test, test_util):
        _replace(module, "is_gpu_available", lambda *args, **kwargs: True)
        _replace(module, "gpu_device_name", lambda *args, **kwargs: NAME)
        _replace(module, "is_built_with_cuda", lambda *args, **kwargs: True)
    _list_physical_devices(tensorflow)


def _replace(module, name, function):
    if hasattr(module, name):
        setattr(module, name, function)


def _list_local_devices(device_lib):
    original = device_lib.list_local_devices

    def list_local_devices(session_config=None):
        from tensorflow.core.framework import device_attributes_pb2

        gpu = device_attributes_pb2.DeviceAttributes(
            name=NAME, device_type="GPU", memory_limit=MEMORY, physical_device_desc=DESCRIPTION
        )
        return [*original(session_config), gpu]

    device_lib.list_local_devices = list_local_devices


def _list_physical_devices(tensorflow):
    from tensorflow.python.eager import context

    original = context.Context.list_physical_devices

    def list_physical_devices(self, device_type=None):
        found = list(original(self, device_type))
        if device_type in (None, "GPU") and not any(one.device_type == "GPU" for one in found):
            found.append(_physical_device(context))
        return found

    def nothing(*args, **kwargs):
        """Ignore settings of memory growth and visibility for the pretended GPU."""

    context.Context.list_physical_devices = list_physical_devices
    for name in SETTERS:
        if hasattr(context.Context, name):
            setattr(context.Context, name, _only_real(getattr(context.Context, name), nothing))


def _physical_device(context):
    return context.PhysicalDevice("/physical_device:GPU:0", "GPU")


def _only_real(method, otherwise):
    """Call the method unless its argument is the pretended device."""

    def call(self, device, *args, **kwargs):
        # A device is a named tuple, so its type does not distinguish it from a list of devices.
        devices = [device] if hasattr(device, "device_type") else device or []
        if any(getattr(one, "device_type", "") == "GPU" for one in devices):
            return otherwise()
        return method(self, device, *args, **kwargs)

    return call
