"""The c10d operators for tensors on the NPU: check as HCCL does, then call gloo on the same bytes.

C++ code (DistributedDataParallel's reducer, functional collectives) and Python code both call the
operators of torch.ops.c10d, so all communication of NPU tensors goes through this module.
"""

import contextlib
import threading

import torch
import torch._C._distributed_c10d as _c10d
import torch.distributed as dist
from ascendify_startup import torch_gloo
from ascendify_startup.torch_gloo import as_carried

from .._device import dispatcher
from .._device.alias import to_cpu
from . import checks, rank_errors, substitutes
from .coalescing import keep_for_the_end_of_the_block
from .groups import backend_of

_KINDS = {int(kind): kind for kind in dist.ReduceOp.RedOpType.__members__.values()}
# the names of collectives in torch_npu's errors: functions of ProcessGroupHCCL
_WHAT = {
    "allreduce_": "allreduce",
    "allreduce_coalesced_": "allreduce_coalesced",
    "broadcast_": "broadcast",
    "reduce_": "reduce",
    "allgather_": "allgather",
    "_allgather_base_": "_allgather_base",
    "allgather_coalesced_": "allgather_coalesced",
    "allgather_into_tensor_coalesced_": "allgather_into_tensor_coalesced",
    "reduce_scatter_": "reduce_scatter",
    "_reduce_scatter_base_": "_reduce_scatter_base",
    "reduce_scatter_tensor_coalesced_": "reduce_scatter_tensor_coalesced",
    "gather_": "gather",
    "scatter_": "scatter",
    "alltoall_": "alltoall",
    "alltoall_base_": "alltoall_base",
    "barrier": "barrier",
}
# HCCL accepts any shapes of the right size; gloo counts rows, or aborts the process
_OF_ANY_SHAPE = {
    "_allgather_base_": checks.check_gathered,
    "allgather_into_tensor_coalesced_": checks.check_gathered,
    "_reduce_scatter_base_": checks.check_scattered,
    "reduce_scatter_tensor_coalesced_": checks.check_scattered,
}
_WIDENS = ("allreduce_", "allreduce_coalesced_", "reduce_")
_requested = threading.local()
_FUNCTIONAL = (
    "all_reduce all_reduce_ all_reduce_coalesced all_reduce_coalesced_ reduce_scatter_tensor "
    "reduce_scatter_tensor_coalesced"
).split()
"""Operators that take the name of the reduction, and call those of c10d in C++."""


@contextlib.contextmanager
def reducing_with(operation):
    """Store the reduction of a call for the operator that it calls.

    The operator's own argument lacks the factor of ReduceOp.PREMUL_SUM, and before torch 2.10 it
    cannot be read at all.
    """
    before = getattr(_requested, "operation", None)
    _requested.operation = operation
    try:
        yield
    finally:
        _requested.operation = before


def _kind_of(boxed):
    """Return the reduction of a call of an operator; C++ code uses only sums."""
    if hasattr(boxed, "op"):
        return _KINDS[boxed.op()]
    requested = getattr(_requested, "operation", None)
    kinds = (kind for kind in _KINDS.values() if requested is not None and requested == kind)
    return next(kinds, dist.ReduceOp.SUM)


def flat(value):
    """Return the tensors in an argument, which is a tensor, a list or a list of lists."""
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, (list, tuple)):
        return [tensor for item in value for tensor in flat(item)]
    return []


def _aliased(value):
    if isinstance(value, torch.Tensor):
        return to_cpu(value) if value.device.type == "npu" else value
    if isinstance(value, (list, tuple)):
        return [_aliased(item) for item in value]
    return value


def _in_a_row(value):
    """Return dense tensors as views with one dimension."""
    if isinstance(value, torch.Tensor):
        return value.as_strided((value.numel(),), (1,))
    if isinstance(value, list):
        return [_in_a_row(item) for item in value]
    return value


class _Collective:
    """One operator of c10d for the NPU."""

    def __init__(self, name):
        self.name = name
        self.what = _WHAT[name]
        self.operator = getattr(torch.ops.c10d, name).default
        names = [argument.name for argument in self.operator._schema.arguments]
        self.group_at = names.index("process_group")
        self.reduces_at = names.index("reduce_op") if "reduce_op" in names else None
        self.returns_outputs = len(self.operator._schema.returns) == 2
        self._gloo_reduces_with = None
        self.inputs_at = next((at for at, each in enumerate(names) if each.startswith("input")), 0)

    def __call__(self, *arguments):
        group = dist.ProcessGroup.unbox(arguments[self.group_at])
        backend = backend_of(group)
        if backend is None:
            raise RuntimeError("No backend type associated with device type npu")
        outputs, arguments = arguments[0], list(arguments)
        if self.name == "barrier":
            outputs = arguments[0] = torch.zeros(1, dtype=torch.uint8)
        else:
            self._check(backend, arguments)
        finish = self._prepare_reduction(backend, arguments)
        work = self._start(backend, arguments, outputs, finish)
        keep_for_the_end_of_the_block(backend, work)
        return (outputs, work.boxed()) if self.returns_outputs else work.boxed()

    def _check(self, backend, arguments):
        checks.check_tensors(self.what, flat(arguments[: self.group_at]))
        if self.name in _OF_ANY_SHAPE:
            check = _OF_ANY_SHAPE[self.name]
            for output, input in zip(flat(arguments[0]), flat(arguments[self.inputs_at])):
                check(output, input, backend.size())

    def _prepare_reduction(self, backend, arguments):
        """Prepare a reduction that gloo lacks; return the function to call after it."""
        if self.reduces_at is None:
            return None
        kind = self._gloo_reduces_with = _kind_of(arguments[self.reduces_at])
        outputs, inputs = flat(arguments[0]), flat(arguments[self.inputs_at])
        checks.check_reduction(self.what, kind, inputs, self.name in _WIDENS)
        if kind.name == "PREMUL_SUM":
            for tensor in inputs:
                tensor.mul_(_requested.operation.factor)
        if kind.name in ("AVG", "PREMUL_SUM"):
            arguments[self.reduces_at] = torch.classes.c10d.ReduceOp()  # SUM
            self._gloo_reduces_with = dist.ReduceOp.SUM
        if kind.name == "AVG":
            size = backend.size()
            return lambda: [tensor.div_(size) for tensor in outputs]
        if any(tensor.dtype in checks.WIDER for tensor in inputs):
            arguments[: self.group_at] = [
                torch_gloo.widen(one, checks.WIDER) for one in arguments[: self.group_at]
            ]
            wide = flat(arguments[0])
            return lambda: [tensor.copy_(sums) for tensor, sums in zip(outputs, wide)]
        return None

    def _start(self, backend, arguments, outputs, finish):
        """Start the collective in gloo; return work that is done after gloo and finish()."""
        calls = [_aliased(value) for value in arguments]
        if self.reduces_at is None:
            calls = [as_carried(value) for value in calls]
        if self.name in _OF_ANY_SHAPE:
            calls = [_in_a_row(value) for value in calls]
        calls[self.group_at] = backend.inner.boxed()
        try:
            done = self.operator(*calls)
        except RuntimeError as error:
            if substitutes.MISSING in str(error) and self._substitute(backend, calls):
                return torch_gloo.finished_work(self._finished(outputs, finish))
            raise dist.DistBackendError(
                rank_errors.explain(backend, self.what, str(error))
            ) from error
        work = dist.Work.unbox(done[-1] if isinstance(done, tuple) else done)

        def complete(wait):
            try:
                wait()
            except RuntimeError as error:
                message = rank_errors.explain(backend, self.what, str(error))
                raise dist.DistBackendError(message) from error
            return self._finished(outputs, finish)

        try:
            future = work.get_future()
        except RuntimeError:  # gloo's reduce_scatter has no future
            finished = torch.futures.Future()
            finished.set_result(complete(work.wait))
        else:
            finished = future.then(lambda done: complete(done.value))
        return _c10d._create_work_from_future(finished)

    def _finished(self, outputs, finish):
        if finish is not None:
            with torch.no_grad():
                finish()
        return outputs if self.name != "barrier" else None

    def _substitute(self, backend, calls):
        kind = None if self.reduces_at is None else self._gloo_reduces_with
        inputs = calls[self.inputs_at]
        return substitutes.run(backend, self.name, calls[0], inputs, kind)


def point_to_point(backend, kind, tensor, peer, tag):
    """Send or receive one tensor; the work has no future, patches.py replaces its wait()."""
    checks.check_tensors("send" if kind == "isend" else "recv", [tensor])
    start = backend.send if kind == "isend" else backend.recv
    with rank_errors.naming_the_other(backend, peer):
        return start([to_cpu(tensor)], peer, tag)


def _send(tensors, group, peer, tag):
    return _one_way("isend", tensors, group, peer, tag)


def _receive(tensors, group, peer, tag):
    return _one_way("irecv", tensors, group, peer, tag)


def _one_way(kind, tensors, group, peer, tag):
    backend = backend_of(dist.ProcessGroup.unbox(group))
    work = point_to_point(backend, kind, tensors[0], peer, tag)
    keep_for_the_end_of_the_block(backend, work)
    return work.boxed()


def _receive_from_anyone(tensors, group, tag):
    raise RuntimeError(
        "ProcessGroupHCCL does not support recv from any source. Name the sender: "
        "dist.recv(tensor, src=<rank>)."
    )


def _monitored_barrier(*arguments):
    raise RuntimeError(
        "ProcessGroupHCCL does not support monitoredBarrier, only gloo does: use dist.barrier()."
    )


def install():
    """Replace torch's own kernels of the operators, which would pass NPU tensors to gloo."""
    kernels = {name: _Collective(name) for name in _WHAT}
    kernels.update(
        {
            "send": _send,
            "recv_": _receive,
            "recv_any_source_": _receive_from_anyone,
            "monitored_barrier_": _monitored_barrier,
        }
    )
    for name, kernel in kernels.items():
        dispatcher.implement(f"c10d::{name}", kernel, "PrivateUse1")
    for name in _FUNCTIONAL:
        packet = getattr(torch.ops._c10d_functional, name, None)
        if packet is not None:
            kernel = _with_named_reduction(packet.default)
            dispatcher.implement(f"_c10d_functional::{name}", kernel, "PrivateUse1")


def _with_named_reduction(op):
    stock = dispatcher.cpu_kernel(op)
    at = [argument.name for argument in op._schema.arguments].index("reduce_op")

    def kernel(*arguments):
        operation = getattr(dist.ReduceOp, arguments[at].upper(), None)
        with reducing_with(operation):
            return stock(*arguments)

    return kernel
