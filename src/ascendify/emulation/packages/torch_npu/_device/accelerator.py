"""Make `torch.accelerator`, whose functions call the C++ core, use `torch.npu`."""

import torch


def install():
    """Replace functions of the core, which would need an allocator, by those of `torch.npu`."""
    npu = torch.npu
    for name, function in {
        "deviceCount": npu.device_count,
        "emptyCache": npu.empty_cache,
        "emptyHostCache": npu.ipc_collect,
        "exchangeDevice": npu._exchange_device,
        "getDeviceIndex": npu.current_device,
        "getDeviceStats": npu.memory_stats_as_nested_dict,
        "getMemoryInfo": npu.mem_get_info,
        "getStream": npu.current_stream,
        "isAllocatorInitialized": npu.is_initialized,
        "maybeExchangeDevice": npu._maybe_exchange_device,
        "resetAccumulatedStats": npu.reset_accumulated_memory_stats,
        "resetPeakStats": npu.reset_peak_memory_stats,
        "setDeviceIndex": npu.set_device,
        "setStream": npu.set_stream,
        "synchronizeDevice": npu.synchronize,
    }.items():
        setattr(torch._C, f"_accelerator_{name}", function)
