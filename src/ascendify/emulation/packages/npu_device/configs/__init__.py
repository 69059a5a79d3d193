"""Objects that hold the options of the device."""

from npu_device.configs.npu_run_context_option import NpuRunContextOptions as run_context_options
