"""Functions of `torch.npu` that need hardware. They raise NotImplementedError."""

_WHAT = {
    "check_uce_in_memory": "looks for memory errors of the hardware",
    "current_blas_handle": "hands out a pointer of a library of the device",
    "empty_virt_addr_cache": "gives back virtual addresses of the device",
    "graph_task_group_begin": "groups tasks of a graph on the device",
    "graph_task_group_end": "groups tasks of a graph on the device",
    "graph_task_update_begin": "changes tasks of a graph on the device",
    "graph_task_update_end": "changes tasks of a graph on the device",
    "npurt": "hands out the runtime library of the device",
    "obfuscation_calculate": "computes on obfuscated models inside the hardware",
    "obfuscation_finalize": "computes on obfuscated models inside the hardware",
    "obfuscation_initialize": "computes on obfuscated models inside the hardware",
    "restart_device": "restarts the hardware",
    "set_op_timeout_ms": "sets a watchdog of the hardware",
    "stop_device": "stops the hardware",
    "stress_detect": "tests the hardware under load",
    "super_kernel_scope_begin": "joins kernels on the device",
    "super_kernel_scope_end": "joins kernels on the device",
}


def raising(name, what):
    """Return a function that raises NotImplementedError with its purpose."""

    def unsupported(*args, **kwargs):
        raise NotImplementedError(
            f"torch.npu.{name} {what}, which the emulation does not have. Guard the call, or leave "
            "it out when the script runs under emulation."
        )

    unsupported.__name__ = unsupported.__qualname__ = name
    unsupported.__doc__ = f"Raises NotImplementedError: it {what}."
    return unsupported


functions = {name: raising(name, what) for name, what in _WHAT.items()}
