"""`torch.npu`, the device module: the counterpart of `torch.cuda`."""

from torch_npu._device import generator
from torch_npu._device.devices import when_initialised
from torch_npu.npu import _sanitizer, aclnn, amp, backends, mstx, random, unsupported, utils
from torch_npu.npu.devices import (
    _exchange_device,
    _get_device_index,
    _is_in_bad_fork,
    _lazy_call,
    _lazy_init,
    _maybe_exchange_device,
    _sleep,
    can_device_access_peer,
    current_device,
    device,
    device_count,
    device_of,
    get_amp_supported_dtype,
    get_autocast_dtype,
    get_device_capability,
    get_device_name,
    get_device_properties,
    get_sync_debug_mode,
    init,
    is_autocast_enabled,
    is_available,
    is_bf16_supported,
    is_initialized,
    set_autocast_dtype,
    set_autocast_enabled,
    set_device,
    set_sync_debug_mode,
    synchronize,
    utilization,
)
from torch_npu.npu.graphs import (
    NPUGraph,
    NpuGraphOpHandler,
    graph,
    graph_pool_handle,
    is_current_stream_capturing,
    make_graphed_callables,
    register_npu_graph_handler,
)
from torch_npu.npu.memory import (
    MemPool,
    NPUPluggableAllocator,
    caching_allocator_alloc,
    caching_allocator_delete,
    change_current_allocator,
    empty_cache,
    get_allocator_backend,
    get_per_process_memory_fraction,
    host_empty_cache,
    host_memory_stats,
    host_memory_stats_as_nested_dict,
    ipc_collect,
    max_memory_allocated,
    max_memory_cached,
    max_memory_reserved,
    mem_get_info,
    memory_allocated,
    memory_cached,
    memory_reserved,
    memory_snapshot,
    memory_stats,
    memory_stats_as_nested_dict,
    memory_summary,
    reset_accumulated_host_memory_stats,
    reset_accumulated_memory_stats,
    reset_max_memory_allocated,
    reset_max_memory_cached,
    reset_peak_host_memory_stats,
    reset_peak_memory_stats,
    set_per_process_memory_fraction,
    use_mem_pool,
)
from torch_npu.npu.options import (
    CubeMathType,
    are_compatible_impl_enabled,
    config,
    conv,
    disable_deterministic_with_backward,
    enable_deterministic_with_backward,
    finalize_dump,
    get_device_limit,
    get_mm_bmm_format_nd,
    get_option,
    get_stream_limit,
    init_dump,
    is_jit_compile_false,
    matmul,
    reset_stream_limit,
    set_aoe,
    set_compile_mode,
    set_deterministic_level,
    set_device_limit,
    set_dump,
    set_mm_bmm_format_nd,
    set_option,
    set_stream_limit,
    use_compatible_impl,
)
from torch_npu.npu.random import (
    get_rng_state,
    get_rng_state_all,
    initial_seed,
    manual_seed,
    manual_seed_all,
    seed,
    seed_all,
    set_rng_state,
    set_rng_state_all,
)
from torch_npu.npu.streams import (
    Event,
    ExternalEvent,
    ExternalStream,
    Stream,
    StreamContext,
    SyncLaunchStream,
    current_stream,
    default_stream,
    set_stream,
    stream,
)
from torch_npu.npu.types import storage_types, tensor_types
from torch_npu.npu.utils import (
    clear_npu_overflow_flag,
    get_npu_overflow_flag,
    is_support_inf_nan,
    npu_check_overflow,
)

globals().update(tensor_types)
globals().update(storage_types)
globals().update(unsupported.functions)

default_generators = ()
"""One generator for each device; filled at the first use of the device."""


def _fill_generators():
    globals()["default_generators"] = (generator.default,) * device_count()


when_initialised(_fill_generators)

__all__ = [name for name in globals() if not name.startswith("_")]
