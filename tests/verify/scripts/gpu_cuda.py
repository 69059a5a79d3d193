"""What a program written for two GPUs asks of torch.cuda and torch.backends."""

import importlib.util
import tempfile
from pathlib import Path

import torch
from gpu_cases import MissingError, case, main, needs, raises, refused
from torch import nn

USED = {"at the start": torch.cuda.is_initialized()}
torch.cuda.manual_seed_all(1)
USED["after asking for GPUs"] = bool(torch.cuda.device_count()) and torch.cuda.is_initialized()


def on_gpu(*shape):
    return torch.arange(1.0, 1 + int(torch.tensor(shape).prod())).reshape(shape).cuda()


@case
def there_are_two_gpus():
    assert torch.cuda.is_available()
    assert torch.cuda.device_count() == 2 and torch.cuda.current_device() == 0
    assert torch.cuda.is_initialized() and not any(USED.values()), USED
    assert torch.version.cuda and torch.backends.cuda.is_built()
    torch.cuda.init()
    torch.cuda._lazy_init()
    torch.cuda.synchronize()
    torch.cuda.synchronize("cuda:1")


@case
def a_gpu_has_properties():
    properties = torch.cuda.get_device_properties(0)
    assert properties.total_memory > 1 << 30 and properties.multi_processor_count > 1
    assert (properties.major, properties.minor) == torch.cuda.get_device_capability()
    assert properties.name == torch.cuda.get_device_name() == torch.cuda.get_device_name("cuda:1")
    assert torch.cuda.get_device_name([0, 1]) == torch.cuda.get_device_name(torch.cuda)
    assert torch.cuda.get_device_capability(1) >= (7, 0) and "name=" in repr(properties)
    assert torch.cuda.is_bf16_supported() and torch.cuda.can_device_access_peer(0, 1)
    assert "sm_80" in torch.cuda.get_arch_list() and "sm_80" in torch.cuda.get_gencode_flags()


@case
def a_gpu_has_sensors():
    for name in ("utilization", "memory_usage", "temperature", "power_draw", "clock_rate"):
        assert getattr(torch.cuda, name)() >= 0, name
    assert isinstance(torch.cuda.list_gpu_processes(), str)


@case
def memory_is_reported():
    cuda = torch.cuda
    for name in (
        "memory_allocated",
        "max_memory_allocated",
        "memory_reserved",
        "max_memory_reserved",
    ):
        assert getattr(cuda, name)() == getattr(cuda, name)("cuda:1") == 0
        assert getattr(cuda.memory, name)(device=0) == 0
    free, total = cuda.mem_get_info()
    assert 0 < free <= total
    stats = cuda.memory_stats()
    for key in ("allocated_bytes.all.peak", "reserved_bytes.all.current", "num_alloc_retries"):
        assert stats[key] == 0
    assert cuda.memory_stats_as_nested_dict()["active"]["all"]["peak"] == 0
    assert "PyTorch CUDA memory summary" in cuda.memory_summary(abbreviated=True)
    assert cuda.memory_snapshot() == [] and cuda.memory.memory_snapshot() == []
    assert cuda.get_allocator_backend() == "native"


@case
def memory_functions_are_accepted():
    cuda = torch.cuda
    for name in (
        "empty_cache",
        "reset_peak_memory_stats",
        "reset_accumulated_memory_stats",
        "reset_max_memory_allocated",
        "ipc_collect",
    ):
        getattr(cuda, name)()
    cuda.set_per_process_memory_fraction(0.5, 0)
    cuda.memory._record_memory_history()
    assert cuda.memory._snapshot()["segments"] == []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "memory.pickle"
        cuda.memory._dump_snapshot(str(path))
        assert path.stat().st_size
    refused(cuda.caching_allocator_alloc, 16)


@case
def pools_of_memory_are_accepted():
    pool = needs(torch.cuda, "MemPool")()
    with torch.cuda.use_mem_pool(pool):
        assert torch.zeros(2, device="cuda").is_cuda


@case
def streams_are_current_where_they_are_used():
    x = torch.ones(4)
    stream = torch.cuda.Stream()
    assert torch.cuda.current_stream() == torch.cuda.default_stream() != stream
    with torch.cuda.stream(stream):
        assert torch.cuda.current_stream() == stream
        moved = x.cuda(non_blocking=True)
    with torch.cuda.stream(None):
        assert torch.cuda.current_stream() == torch.cuda.default_stream()
    torch.cuda.current_stream().wait_stream(stream)
    moved.record_stream(torch.cuda.current_stream())
    stream.wait_event(stream.record_event())
    stream.synchronize()
    assert stream.query() and stream.device == torch.device("cuda:0")
    with torch.cuda.stream(torch.cuda.Stream(device=1)):
        assert torch.cuda.current_device() == 1
    assert torch.cuda.current_device() == 0 and torch.cuda.Stream(priority=-1).priority == -1
    assert len(torch.cuda.Stream.priority_range()) == 2
    assert isinstance(stream, torch.cuda.Stream) and isinstance(stream.cuda_stream, int)
    torch.cuda.set_stream(stream)
    assert torch.cuda.current_stream() == stream
    torch.cuda.set_stream(torch.cuda.default_stream())


@case
def events_measure_time():
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    end.record(torch.cuda.current_stream())
    torch.cuda.synchronize()
    assert begin.elapsed_time(end) >= 0 and end.query()
    begin.wait()
    end.synchronize()
    raises(ValueError, "enable_timing", torch.cuda.Event().elapsed_time, end)
    refused(begin.ipc_handle)
    refused(torch.cuda.Event.from_ipc_handle, 0, b"")


@case
def a_graph_is_replayed_with_new_inputs():
    source = torch.zeros(3, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        assert torch.cuda.is_current_stream_capturing()
        doubled = source * 2
        total = doubled.sum() + 1
    assert not torch.cuda.is_current_stream_capturing()
    for value in (1.0, 5.0):
        source.fill_(value)
        graph.replay()
        assert doubled.tolist() == [2 * value] * 3 and total.item() == 6 * value + 1
    assert len(graph.pool()) == 2 and len(torch.cuda.graph_pool_handle()) == 2
    raises(RuntimeError, "without a preceding", torch.cuda.CUDAGraph().replay)


@case
def a_capture_changes_nothing():
    counter = torch.zeros(1, device="cuda")
    state = torch.cuda.get_rng_state()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        counter += 1
        noise = torch.rand(2, device="cuda")
    assert counter.item() == 0 and torch.equal(state, torch.cuda.get_rng_state())
    graph.replay()
    first = noise.tolist()
    graph.replay()
    assert counter.item() == 2 and noise.tolist() != first


@case
def a_whole_step_of_training_is_captured():
    def trained(with_graph):
        torch.manual_seed(1)
        model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1)).cuda()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
        static = torch.zeros(5, 4, device="cuda")
        losses = []

        def step():
            loss = model(static).square().mean()
            loss.backward()
            optimizer.step()
            return loss

        static.copy_(torch.full((5, 4), 0.5))
        for _ in range(2):
            optimizer.zero_grad(set_to_none=True)
            step()
        optimizer.zero_grad(set_to_none=True)
        if with_graph:
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                captured = step()
        for number in range(4):
            static.copy_(torch.full((5, 4), float(number)))
            if with_graph:
                graph.replay()
                losses.append(captured.item())
            else:
                optimizer.zero_grad(set_to_none=True)
                losses.append(step().item())
        return losses

    assert trained(True) == trained(False)


@case
def graphed_callables_compute_the_same():
    model = nn.Linear(3, 2).cuda()
    x = on_gpu(4, 3)
    expected = model(x)
    graphed = torch.cuda.make_graphed_callables(model, (x,))
    assert torch.equal(graphed(x), expected)


@case
def tensors_are_scattered_and_gathered():
    comm = torch.cuda.comm
    x = on_gpu(4, 2)
    parts = comm.scatter(x, [0, 1])
    assert [one.get_device() for one in parts] == [0, 1] and parts[1].shape == (2, 2)
    assert torch.equal(comm.gather(parts, destination=0), x)
    assert comm.gather(parts, destination=-1).device.type == "cpu"
    copies = comm.broadcast(x, [0, 1])
    assert copies[1].get_device() == 1
    assert torch.equal(comm.reduce_add(copies, 0), 2 * x)
    assert comm.broadcast_coalesced([x, x], [0, 1])[1][0].get_device() == 1
    replicas = nn.parallel.replicate(nn.Linear(2, 2).cuda(), [0, 1])
    outputs = nn.parallel.parallel_apply(replicas, [(one,) for one in parts], devices=[0, 1])
    assert outputs[1].get_device() == 1
    assert torch.cuda.nccl.is_available([x]) and len(torch.cuda.nccl.version()) == 3


@case
def ranges_and_profilers_are_accepted():
    nvtx = torch.cuda.nvtx
    nvtx.range_push("step")
    nvtx.range_pop()
    nvtx.mark("here")
    with nvtx.range("inside"), torch.cuda.profiler.profile():
        pass
    torch.cuda.profiler.start()
    torch.cuda.profiler.stop()
    assert torch.cuda.cudart().cudaProfilerStart() == 0
    with torch.autograd.profiler.emit_nvtx(enabled=False):
        pass


@case
def cudnn_is_there():
    cudnn = torch.backends.cudnn
    assert cudnn.is_available() and cudnn.version() > 8000 and cudnn.enabled
    assert cudnn.is_acceptable(on_gpu(2)) and not cudnn.is_acceptable(torch.ones(2))
    before = (cudnn.benchmark, cudnn.deterministic, cudnn.allow_tf32)
    cudnn.benchmark, cudnn.deterministic, cudnn.allow_tf32 = True, True, False
    assert (cudnn.benchmark, cudnn.deterministic, cudnn.allow_tf32) == (True, True, False)
    cudnn.benchmark, cudnn.deterministic, cudnn.allow_tf32 = before
    with cudnn.flags(enabled=False):
        assert not cudnn.is_acceptable(on_gpu(2))
    cudnn.enabled = False
    assert nn.Conv2d(1, 1, 3).cuda()(on_gpu(1, 1, 4, 4)).is_cuda
    cudnn.enabled = True


@case
def cublas_and_its_like_have_switches():
    cuda = torch.backends.cuda
    for name in ("allow_tf32", "allow_fp16_reduced_precision_reduction"):
        before = getattr(cuda.matmul, name)
        setattr(cuda.matmul, name, not before)
        assert getattr(cuda.matmul, name) is (not before)
        setattr(cuda.matmul, name, before)
    chosen = cuda.preferred_linalg_library("magma")
    assert cuda.preferred_linalg_library() == chosen
    cuda.preferred_linalg_library("cusolver")
    torch.set_float32_matmul_precision("high")
    torch.set_float32_matmul_precision("highest")
    cache = cuda.cufft_plan_cache
    cache[1].max_size = 10
    assert cache[1].max_size == 10 and cache.size == 0 and cache.max_size > 10
    cache.clear()
    assert torch.fft.rfft(on_gpu(8)).is_cuda and torch.linalg.inv(torch.eye(2).cuda()).is_cuda


@case
def the_library_of_products_is_chosen():
    prefer = needs(torch.backends.cuda, "preferred_blas_library")
    assert prefer("cublaslt") == prefer() and prefer("cublas") == prefer()


@case
def attention_kernels_are_there():
    cuda = torch.backends.cuda
    assert cuda.flash_sdp_enabled() and cuda.mem_efficient_sdp_enabled()
    cuda.enable_flash_sdp(False)
    assert not cuda.flash_sdp_enabled()
    cuda.enable_flash_sdp(True)
    assert needs(cuda, "is_flash_attention_available")()
    query = torch.ones(1, 2, 4, 8, dtype=torch.float16).cuda()
    options = (
        (None, 0.0, False, False) if "enable_gqa" in dir(cuda.SDPAParams) else (None, 0.0, False)
    )
    params = cuda.SDPAParams(query, query, query, *options)
    assert cuda.can_use_flash_attention(params) and cuda.can_use_efficient_attention(params)


@case
def kernels_in_other_languages_are_refused():
    create = torch.cuda.jiterator._create_jit_fn
    refused(create, "template <typename T> T f(T x) { return x; }")


@case
def a_kernel_that_only_a_gpu_has_is_refused_briefly():
    x = on_gpu(2, 2)
    refused(torch._cudnn_rnn_flatten_weight, [x], 1, 2, 0, 2, 0, 1, False, False)


@case
def what_is_not_emulated_says_so():
    refused(torch.cuda.current_blas_handle)
    refused(torch.cuda.nccl.all_reduce, [on_gpu(2)])


@case
def operators_take_gpus():
    assert torch.ops.aten.zeros([2], device="cuda").is_cuda
    assert torch.ops.aten.add(on_gpu(2), on_gpu(2)).is_cuda


@case
def triton_is_looked_for():
    if importlib.util.find_spec("torch.utils._triton") is None:
        raise MissingError("this release has no torch.utils._triton")
    from torch.utils._triton import has_triton

    assert has_triton() is False


main()
