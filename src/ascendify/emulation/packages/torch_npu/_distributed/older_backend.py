"""ProcessGroupHCCL for torch 2.1 and 2.2, whose operators cannot be given to kernels in Python.

There a group itself may be written in Python: it checks as HCCL does and hands gloo the same bytes.
Every collective is done when the call returns.
"""

import warnings

import torch
import torch.distributed as dist
import torch.distributed.distributed_c10d as c10d
from ascendify_startup.torch_gloo import as_carried
from torch._C import _distributed_c10d as _c10d

from .._device.alias import is_npu, to_cpu
from . import checks, failures, patches, substitutes
from .collectives import flat
from .keeping import keep_for_ever
from .options import Options

_KINDS = tuple(dist.ReduceOp.RedOpType.__members__.values())
_WIDER = {
    torch.uint8: torch.int32,
    torch.bool: torch.int32,
    torch.int16: torch.int32,
    torch.bfloat16: torch.float32,
}
"""Types that this gloo does not reduce, and where the result is the same after rounding."""


class ProcessGroupHCCL(dist.ProcessGroup):
    """A group of ranks with backend hccl."""

    Options = Options
    backend_name = "hccl"

    def __init__(self, store, rank, size, timeout, global_ranks, processes):
        super().__init__(rank, size)
        self.global_ranks, self.timeout = global_ranks, timeout
        self.peers = failures.meet(store, rank, size, timeout, global_ranks, processes)
        self.gloo = dist.ProcessGroupGloo(store, rank, size, timeout=timeout)
        self._options = Options()
        self._options._timeout = timeout
        self.takes_cpu = False
        """Whether tensors of the CPU are taken: the group was made as "cpu:gloo,npu:hccl"."""

    def name(self):
        return self.backend_name

    getBackendName = _get_backend_name = name  # noqa: N815

    @property
    def options(self):
        return self._options

    @property
    def _device_types(self):
        return [torch.device("npu")]

    def _get_backend(self, device):
        return self

    def allreduce(self, tensors, opts=None):
        return self._reduced("allreduce", tensors, tensors, opts or _c10d.AllreduceOptions(), True)

    def allreduce_coalesced(self, tensors, opts=None):
        options = _c10d.AllreduceOptions()
        options.reduceOp = getattr(opts, "reduceOp", options.reduceOp)
        for tensor in tensors:
            self.allreduce([tensor], options)
        return _finished(None, tensors)

    def reduce(self, tensors, opts=None):
        return self._reduced("reduce", tensors, tensors, opts or _c10d.ReduceOptions(), True)

    def reduce_scatter(self, outputs, inputs, opts=None):
        options = opts or _c10d.ReduceScatterOptions()
        return self._reduced("reduce_scatter", outputs, inputs, options, False)

    def _reduce_scatter_base(self, output, input, opts=None):
        self._check("_reduce_scatter_base", [output, input])
        checks.scattered(output, input, self.size())
        options = opts or _c10d.ReduceScatterOptions()
        return self._reduced("_reduce_scatter_base", output, input, options, False)

    def broadcast(self, tensors, opts=None):
        return self._done("broadcast", tensors, (tensors, opts or _c10d.BroadcastOptions()))

    def allgather(self, outputs, inputs, opts=None):
        options = opts or _c10d.AllgatherOptions()
        return self._done("allgather", outputs, (outputs, inputs, options))

    def _allgather_base(self, output, input, opts=None):
        self._check("_allgather_base", [output, input])
        checks.gathered(output, input, self.size())
        parts = [list(output.view(self.size(), *input.shape).unbind(0))]
        return self._done("allgather", output, (parts, [input], _c10d.AllgatherOptions()))

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
        """Work that is under way: two ranks may send to each other before they receive."""
        self._check(what, tensors)
        carried = as_carried(_aliased(tensors))
        return _UnderWay(self, peer, getattr(self.gloo, what)(carried, peer, tag))

    def recv_anysource(self, tensors, tag=0):
        raise RuntimeError(
            "ProcessGroupHCCL does not support recv from any source. Name the sender: "
            "dist.recv(tensor, src=<rank>)."
        )

    def _start_coalescing(self, device):
        """Nothing is put together: every collective is done when its call returns."""

    def _end_coalescing(self, device):
        return _finished([])

    def _done(self, what, outputs, call):
        if not self._check(what, flat(list(call))):
            return _finished(self._run(what, call), outputs)
        self._run(what, [as_carried(_aliased(value)) for value in call])
        return _finished(None, outputs)

    def _check(self, what, tensors):
        """Check as HCCL does, and tell whether the tensors are on the NPU."""
        on_cpu = [tensor for tensor in tensors if tensor.is_cpu]
        if on_cpu and len(on_cpu) == len(tensors) and self.takes_cpu:
            return False
        if tensors and len(on_cpu) == len(tensors):
            raise RuntimeError(
                "No backend type associated with device type cpu: %s was given a tensor on the "
                "CPU, and this process group has backend hccl only. Move the tensor with .npu(), "
                'or start with init_process_group("cpu:gloo,npu:hccl").' % what
            )
        checks.tensors(what, tensors)
        return True

    def _reduced(self, what, outputs, inputs, options, widens):
        tensors = [*flat(outputs), *flat(inputs)]
        kind = next(kind for kind in _KINDS if options.reduceOp == kind)
        if self._check(what, tensors):
            checks.reduction(what, kind, flat(inputs), widens)
        host_outputs, host_inputs = _aliased(outputs), _aliased(inputs)
        wide = flat(host_inputs)[0].dtype in _WIDER
        if wide:
            host_inputs = _widened(host_inputs)
            host_outputs = host_inputs if what in ("allreduce", "reduce") else host_outputs
        if kind.name == "PREMUL_SUM":
            for tensor in flat(host_inputs):
                tensor.mul_(options.reduceOp.factor)
        if kind.name in ("AVG", "PREMUL_SUM"):
            options.reduceOp = dist.ReduceOp.SUM
        whole = (host_inputs,) if what in ("allreduce", "reduce") else (host_outputs, host_inputs)
        self._run(what, (*whole, options))
        with torch.no_grad():
            if kind.name == "AVG":
                for tensor in flat(host_outputs):
                    tensor.div_(self.size())
            if wide and host_outputs is host_inputs:
                for tensor, sums in zip(flat(outputs), flat(host_outputs)):
                    tensor.copy_(sums)
        return _finished(None, outputs)

    def _run(self, what, call):
        try:
            getattr(self.gloo, what)(*call).wait()
        except RuntimeError as error:
            kind = getattr(call[-1], "reduceOp", None)
            if substitutes.MISSING in str(error) and substitutes.run(
                self.gloo, what + "_", call[0], call[1], kind
            ):
                return
            raise dist.DistBackendError(failures.explain(self, what, str(error))) from error


class ProcessGroupLCCL(ProcessGroupHCCL):
    """lccl, the library for small messages of one server: same collectives here."""

    backend_name = "lccl"


def _aliased(value):
    if isinstance(value, torch.Tensor):
        return to_cpu(value) if is_npu(value) else value
    if isinstance(value, (list, tuple)):
        return [_aliased(item) for item in value]
    return value


def _widened(value):
    if isinstance(value, torch.Tensor):
        return value.to(_WIDER.get(value.dtype, value.dtype))
    return [_widened(item) for item in value]


class _UnderWay(dist._Work):
    """A message that is under way; a failure names the rank at the other end."""

    def __init__(self, group, peer, work):
        super().__init__()
        self.group, self.peer, self.work = group, peer, work

    def wait(self, *timeout):
        try:
            return self.work.wait(*timeout)
        except RuntimeError as error:
            words = failures.explain(self.group, "send or receive", str(error), self.peer)
            raise dist.DistBackendError(words) from error

    def is_completed(self):
        return self.work.is_completed()

    def is_success(self):
        return self.work.is_success()

    def get_future(self):
        return self.work.get_future()


def _finished(_, outputs=()):
    future = torch.futures.Future()
    future.set_result(outputs if isinstance(outputs, (list, tuple)) else [outputs])
    return _c10d._create_work_from_future(future)


_alive = []


def _processes():
    return {
        group.global_ranks[rank]: process
        for group in _alive
        for rank, process in group.peers.items()
    }


def _create(kind):
    def create(options, group_options):
        made = kind(
            options.store,
            options.group_rank,
            options.group_size,
            options.timeout,
            list(options.global_ranks_in_group) or list(range(options.group_size)),
            _processes(),
        )
        if isinstance(group_options, Options):
            made._options = group_options
            made._options._timeout = options.timeout
        made._options.group_id = options.group_id
        made._options.global_ranks_in_group = list(options.global_ranks_in_group)
        _alive.append(made)
        keep_for_ever(made.gloo)
        return made

    return create


def install():
    """Register hccl and lccl, and let a group for both devices know that it is one."""
    for kind in (ProcessGroupHCCL, ProcessGroupLCCL):
        dist.Backend.register_backend(
            kind.backend_name, _create(kind), extended_api=True, devices=["npu"]
        )
    dist.Backend.default_device_backend_map["npu"] = "hccl"
    patches._stock_batch_isend_irecv = c10d.batch_isend_irecv
    dist.batch_isend_irecv = c10d.batch_isend_irecv = patches.batch_isend_irecv
    stock = c10d._new_process_group_helper

    def new_group(size, rank, ranks, backend, *arguments, **named):
        group, store = stock(size, rank, ranks, backend, *arguments, **named)
        if isinstance(group, ProcessGroupHCCL):
            # what a group without a named backend has is told by the configuration alone
            group.takes_cpu = "gloo" in str(c10d.BackendConfig(dist.Backend(str(backend))))
        return group, store

    c10d._new_process_group_helper = new_group
