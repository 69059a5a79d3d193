"""ProcessGroupHCCL for torch 2.1 and 2.2, whose operators cannot have Python kernels.

There the group itself is written in Python: it checks as HCCL does and passes the same bytes to
gloo. Every collective is done when the call returns.
"""

import warnings

import torch
import torch.distributed as dist
import torch.distributed.distributed_c10d as c10d
from ascendify_startup import torch_gloo
from ascendify_startup.torch_gloo import as_carried
from torch._C import _distributed_c10d as _c10d

from .._device.alias import is_npu, to_cpu
from . import checks, groups, patches, rank_errors, substitutes
from .collectives import flat

_KINDS = tuple(dist.ReduceOp.RedOpType.__members__.values())


class ProcessGroupHCCL(groups.HcclGroup, dist.ProcessGroup):
    """A group of ranks with backend hccl."""

    def __init__(self, store, rank, size, options=None):
        super().__init__(rank, size)
        self.meet(store, rank, size, options)
        self.gloo = dist.ProcessGroupGloo(store, rank, size, timeout=self.timeout)
        self.takes_cpu = False
        """Whether tensors of the CPU are accepted: the group was made as "cpu:gloo,npu:hccl"."""

    getBackendName = groups.HcclGroup.name  # noqa: N815

    @property
    def _device_types(self):
        return [torch.device("npu")]

    def _get_backend(self, device):
        return self

    def allreduce(self, tensors, opts=None):
        return self._reduce_in_place("allreduce", tensors, opts or _c10d.AllreduceOptions())

    def allreduce_coalesced(self, tensors, opts=None):
        for tensor in tensors:
            options = _c10d.AllreduceOptions()
            options.reduceOp = getattr(opts, "reduceOp", options.reduceOp)
            self.allreduce([tensor], options)
        return _finished(tensors)

    def reduce(self, tensors, opts=None):
        return self._reduce_in_place("reduce", tensors, opts or _c10d.ReduceOptions())

    def reduce_scatter(self, outputs, inputs, opts=None):
        options = opts or _c10d.ReduceScatterOptions()
        return self._reduce_and_scatter("reduce_scatter", outputs, inputs, options)

    def _reduce_scatter_base(self, output, input, opts=None):
        self._check("_reduce_scatter_base", [output, input])
        checks.check_scattered(output, input, self.size())
        options = opts or _c10d.ReduceScatterOptions()
        return self._reduce_and_scatter("_reduce_scatter_base", output, input, options)

    def reduce_scatter_tensor_coalesced(self, outputs, inputs, opts=None):
        for output, input in zip(outputs, inputs):
            options = _c10d.ReduceScatterOptions()
            options.reduceOp = getattr(opts, "reduceOp", options.reduceOp)
            self._reduce_scatter_base(output, input, options)
        return _finished(outputs)

    def broadcast(self, tensors, opts=None):
        return self._done("broadcast", tensors, (tensors, opts or _c10d.BroadcastOptions()))

    def allgather(self, outputs, inputs, opts=None):
        options = opts or _c10d.AllgatherOptions()
        return self._done("allgather", outputs, (outputs, inputs, options))

    def _allgather_base(self, output, input, opts=None):
        self._check("_allgather_base", [output, input])
        checks.check_gathered(output, input, self.size())
        parts = [list(output.view(self.size(), *input.shape).unbind(0))]
        return self._done("allgather", output, (parts, [input], _c10d.AllgatherOptions()))

    def allgather_coalesced(self, outputs, inputs, opts=None):
        options = opts or _c10d.AllgatherOptions()
        return self._done("allgather_coalesced", outputs, (outputs, inputs, options))

    def allgather_into_tensor_coalesced(self, outputs, inputs, opts=None):
        for output, input in zip(outputs, inputs):
            self._allgather_base(output, input)
        return _finished(outputs)

    def gather(self, outputs, inputs, opts=None):
        if outputs:
            warnings.warn(
                "HCCL doesn't support gather at the moment. Implemented with allgather instead.",
                stacklevel=2,
            )
        return self._done("gather", outputs, (outputs, inputs, opts or _c10d.GatherOptions()))

    def scatter(self, outputs, inputs, opts=None):
        return self._done("scatter", outputs, (outputs, inputs, opts or _c10d.ScatterOptions()))

    def alltoall(self, outputs, inputs, opts=None):
        return self._done("alltoall", outputs, (outputs, inputs, _c10d.AllToAllOptions()))

    def alltoall_base(self, output, input, output_sizes, input_sizes, opts=None):
        call = (output, input, output_sizes, input_sizes, opts or _c10d.AllToAllOptions())
        return self._done("alltoall_base", output, call)

    def barrier(self, opts=None):
        return self._done("barrier", [], (_c10d.BarrierOptions(),))

    def send(self, tensors, peer, tag=0):
        return self._started("send", tensors, peer, tag)

    def recv(self, tensors, peer, tag=0):
        return self._started("recv", tensors, peer, tag)

    def _started(self, what, tensors, peer, tag):
        """Return running work: two ranks may send to each other before they receive."""
        self._check(what, tensors)
        carried = as_carried(_aliased(tensors))
        with rank_errors.naming_the_other(self, peer):
            return _UnderWay(self, peer, getattr(self.gloo, what)(carried, peer, tag))

    def recv_anysource(self, tensors, tag=0):
        raise RuntimeError(
            "ProcessGroupHCCL does not support recv from any source. Name the sender: "
            "dist.recv(tensor, src=<rank>)."
        )

    def _start_coalescing(self, device):
        """Do nothing: every collective is done when its call returns."""

    def _end_coalescing(self, device):
        return _finished([])

    def _done(self, what, outputs, call):
        if self._check(what, flat(list(call))):
            call = [as_carried(_aliased(value)) for value in call]
        self._run(what, call)
        return _finished(outputs)

    def _check(self, what, tensors):
        """Check as HCCL does, and return whether the tensors are on the NPU."""
        if not tensors or any(not tensor.is_cpu for tensor in tensors):
            checks.check_tensors(what, tensors)
            return True
        if self.takes_cpu:
            return False
        raise rank_errors.left_on_cpu(what, self.backend_name)

    @torch.no_grad()
    def _reduce_in_place(self, what, tensors, options):
        kind = self._check_reduction(what, tensors, tensors, options, True)
        own = _aliased(tensors)
        totals = torch_gloo.widen(own, checks.WIDER)
        _leave_a_sum(kind, totals, options)
        self._run(what, (totals, options))
        self._divide(kind, totals)
        for tensor, total in zip(own, totals):
            if total is not tensor:
                tensor.copy_(total)
        return _finished(tensors)

    @torch.no_grad()
    def _reduce_and_scatter(self, what, outputs, inputs, options):
        kind = self._check_reduction(what, outputs, inputs, options, False)
        own, given = _aliased(outputs), torch_gloo.widen(_aliased(inputs), checks.WIDER)
        _leave_a_sum(kind, flat(given), options)
        self._run(what, (own, given, options))
        self._divide(kind, flat(own))
        return _finished(outputs)

    def _check_reduction(self, what, outputs, inputs, options, widens):
        """Check as HCCL does, and return the reduction."""
        kind = next(kind for kind in _KINDS if options.reduceOp == kind)
        if self._check(what, [*flat(outputs), *flat(inputs)]):
            checks.check_reduction(what, kind, flat(inputs), widens)
        return kind

    def _divide(self, kind, tensors):
        if kind.name == "AVG":
            for tensor in tensors:
                tensor.div_(self.size())

    def _run(self, what, call):
        try:
            getattr(self.gloo, what)(*call).wait()
        except RuntimeError as error:
            kind = getattr(call[-1], "reduceOp", None)
            if substitutes.MISSING in str(error) and substitutes.run(
                self.gloo, what + "_", call[0], call[1], kind
            ):
                return
            raise dist.DistBackendError(rank_errors.explain(self, what, str(error))) from error


ProcessGroupLCCL = groups.lccl_of(ProcessGroupHCCL)


def _aliased(value):
    if isinstance(value, torch.Tensor):
        return to_cpu(value) if is_npu(value) else value
    if isinstance(value, (list, tuple)):
        return [_aliased(item) for item in value]
    return value


def _leave_a_sum(kind, tensors, options):
    """Prepare a reduction that gloo lacks, so that only a sum remains."""
    if kind.name == "PREMUL_SUM":
        for tensor in tensors:
            tensor.mul_(options.reduceOp.factor)
    if kind.name in ("AVG", "PREMUL_SUM"):
        options.reduceOp = dist.ReduceOp.SUM


class _UnderWay(dist._Work):
    """A message in transfer; its error names the other rank."""

    def __init__(self, group, peer, work):
        super().__init__()
        self.group, self.peer, self.work = group, peer, work

    def wait(self, *timeout):
        with rank_errors.naming_the_other(self.group, self.peer):
            return self.work.wait(*timeout)

    def is_completed(self):
        return self.work.is_completed()

    def is_success(self):
        return self.work.is_success()

    def get_future(self):
        return self.work.get_future()


def _finished(outputs):
    return torch_gloo.finished_work(outputs if isinstance(outputs, (list, tuple)) else [outputs])


def install():
    """Register hccl and lccl, and mark groups that also accept tensors of the CPU."""
    groups.register(ProcessGroupHCCL, ProcessGroupLCCL)
    patches._stock_batch_isend_irecv = c10d.batch_isend_irecv
    dist.batch_isend_irecv = c10d.batch_isend_irecv = patches.batch_isend_irecv
    stock = c10d._new_process_group_helper

    def new_group(size, rank, ranks, backend, *arguments, **named):
        group, store = stock(size, rank, ranks, backend, *arguments, **named)
        if isinstance(group, ProcessGroupHCCL):
            # for a group without a named backend, only the configuration lists its backends
            group.takes_cpu = "gloo" in str(c10d.BackendConfig(dist.Backend(str(backend))))
        return group, store

    c10d._new_process_group_helper = new_group
