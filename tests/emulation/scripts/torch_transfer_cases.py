"""A program written for CUDA after `from torch_npu.contrib import transfer_to_npu`."""

import inspect
import json
import sys
import tempfile
import warnings
from pathlib import Path

folder = tempfile.mkdtemp()
library = Path(folder) / "accelerate" / "utils"
library.mkdir(parents=True)
(library.parent / "__init__.py").write_text("")
(library / "__init__.py").write_text("")
(library / "imports.py").write_text(
    "import torch\n\n\ndef is_cuda_available():\n    return torch.cuda.is_available()\n"
)
(Path(folder) / "accelerate-1.0.0.dist-info").mkdir()
(Path(folder) / "accelerate-1.0.0.dist-info" / "METADATA").write_text(
    "Metadata-Version: 2.1\nName: accelerate\nVersion: 1.0.0\n"
)
sys.path.insert(0, folder)

import torch  # noqa: E402
import torch.distributed as dist  # noqa: E402
import torch_npu  # noqa: E402

with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    from torch_npu.contrib import transfer_to_npu  # noqa: F401

    filters = list(warnings.filters)

from torch_harness import case, main, raises, same  # noqa: E402


def on_npu(tensor):
    assert tensor.device.type == "npu", tensor.device
    return tensor


@case
def the_banner_and_the_warning_about_jit(said=said):
    kinds = {warning.category: str(warning.message) for warning in said}
    assert "The torch.cuda.* and torch.cuda.amp.* are replaced" in kinds[ImportWarning]
    assert "torch.jit.script_method will be disabled" in kinds[RuntimeWarning]
    assert ("once", None, Warning, None, 0) in filters


@case
def cuda_is_there():
    assert torch.cuda.is_available()
    assert torch.cuda.device_count() == torch.npu.device_count()
    assert torch.cuda.current_device() == 0
    torch.cuda.set_device("cuda:0")
    torch.cuda.set_device(torch.device("cuda", 0))
    torch.cuda.synchronize()
    torch.cuda.empty_cache()
    torch.cuda.manual_seed_all(1)
    assert torch.cuda.get_device_name("cuda:0") == torch.npu.get_device_name(0)
    assert torch.cuda.max_memory_allocated() >= 0
    with torch.cuda.device(0):
        on_npu(torch.zeros(1).cuda())


@case
def factories():
    for made in (
        torch.zeros(2, device="cuda"),
        torch.ones(2, device=torch.device("cuda:0")),
        torch.tensor([1.0], device="cuda:0"),
        torch.arange(3, device=torch.device("cuda")),
        torch.empty(2, device=0),
        torch.zeros_like(torch.ones(2), device="cuda"),
        torch.full((2,), 3.0, device="cuda"),
        torch.fft.fftfreq(4, device="cuda"),
    ):
        on_npu(made)
    with torch.device("cuda"):
        on_npu(torch.zeros(1))


@case
def tensors_and_modules():
    tensor = on_npu(torch.ones(2).cuda())
    assert tensor.is_cuda and not torch.ones(1).is_cuda
    on_npu(torch.ones(2).to("cuda"))
    on_npu(torch.ones(2).to(0))
    on_npu(torch.ones(2).to(torch.device("cuda", 0), torch.float16))
    on_npu(tensor.new_zeros(2, device="cuda"))
    for module in (
        torch.nn.Linear(2, 2).cuda(),
        torch.nn.Linear(2, 2).to("cuda:0"),
        torch.nn.Linear(2, 2).to(0),
        torch.nn.Linear(2, 2, device="meta").to_empty(device="cuda"),
    ):
        on_npu(module.weight)
    assert torch.ones(2).to(torch.float64).dtype == torch.float64


@case
def what_it_does_not_change():
    device = torch.ones(1).cuda().device
    assert device.type == "npu"
    assert device != torch.device("cuda:0")
    assert torch.version.cuda is None


@case
def training_with_mixed_precision():
    from torch.cuda.amp import GradScaler, autocast

    model = torch.nn.Linear(2, 1).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = GradScaler()
    with autocast():
        loss = model(torch.ones(1, 2).cuda())
        assert loss.dtype == torch.float16
    scaler.scale(loss.float().sum()).backward()
    scaler.step(optimizer)
    scaler.update()
    with torch.autocast("cuda"):
        assert model(torch.ones(1, 2).cuda()).dtype == torch.float16
    with torch.amp.autocast(device_type="cuda", dtype=torch.bfloat16):
        assert model(torch.ones(1, 2).cuda()).dtype == torch.bfloat16


@case
def random_numbers():
    generator = torch.Generator(device="cuda").manual_seed(1)
    assert isinstance(generator, torch.Generator)
    first = torch.randn(3, device="cuda", generator=generator)
    same(first, torch.randn(3, device="cuda", generator=generator.manual_seed(1)))
    assert isinstance(torch.Generator(), torch.Generator)


@case
def loading():
    file = str(Path(folder) / "weights.pt")
    torch.save({"x": torch.ones(2)}, file)
    on_npu(torch.load(file, map_location="cuda")["x"])
    on_npu(torch.load(file, map_location={"cpu": "cuda:0"})["x"])
    on_npu(torch.load(file, map_location=torch.device("cuda"))["x"])


@case
def a_path_with_cuda_in_it_is_rewritten_too():
    wanted = Path(folder) / "npu-models"
    wanted.mkdir()
    torch.save({"x": torch.ones(2)}, str(wanted / "a.pt"))
    assert torch.load(str(Path(folder) / "cuda-models" / "a.pt"))["x"].tolist() == [1.0, 1.0]
    raises(FileNotFoundError, "npu-other", torch.load, str(Path(folder) / "cuda-other" / "a.pt"))


@case
def scripts_are_not_compiled():
    def function(x):
        return x + 1

    assert torch.jit.script(function) is function
    if hasattr(torch.utils, "_triton"):
        assert torch.utils._triton.has_triton() is False


@case
def doubles_become_floats():
    assert torch.cuda.DoubleTensor is torch.npu.FloatTensor
    assert torch.cuda.FloatTensor([1.0]).dtype == torch.float32


@case
def nccl_becomes_hccl():
    assert dist.is_nccl_available()
    # torch before 2.3 takes no device here, and before 2.7 none that is not CUDA's
    made_by = inspect.getsource(dist.distributed_c10d)
    takes_one = "device_id" in inspect.signature(inspect.unwrap(dist.init_process_group)).parameters
    takes_any = takes_one and "must be a cuda device" not in made_by
    place = {"device_id": torch.device("cuda:0")} if takes_any else {}
    dist.init_process_group("nccl", store=dist.HashStore(), rank=0, world_size=1, **place)
    try:
        assert dist.get_backend() == "hccl"
        group = dist.new_group([0], backend="nccl")
        assert dist.get_backend(group) == "hccl"
        tensor = torch.ones(2).cuda()
        dist.all_reduce(tensor)
        assert tensor.tolist() == [1.0, 1.0]
        if hasattr(dist, "init_device_mesh"):
            assert dist.device_mesh.init_device_mesh("cuda", (1,)).device_type == "npu"
        model = torch.nn.parallel.DistributedDataParallel(
            torch.nn.Linear(2, 1).cuda(), device_ids=[0]
        )
        model(torch.ones(1, 2).cuda()).sum().backward()
        assert dist.ProcessGroupNCCL is torch_npu._C._distributed_c10d.ProcessGroupHCCL
    finally:
        dist.destroy_process_group()


@case
def profiling():
    traces = Path(folder) / "traces"
    with torch.profiler.profile(
        activities=[torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA],
        schedule=torch.profiler.schedule(wait=1, warmup=1, active=2, repeat=1),
        on_trace_ready=torch.profiler.tensorboard_trace_handler(str(traces)),
    ) as profiler:
        for _ in range(5):
            torch.ones(3).cuda() + 1
            profiler.step()
    written = list(traces.glob("*_ascend_pt/ASCEND_PROFILER_OUTPUT/trace_view.json"))
    assert len(written) == 1
    assert json.loads(written[0].read_text())["traceEvents"]


@case
def libraries_still_see_that_there_is_no_cuda():
    from accelerate.utils.imports import is_cuda_available

    assert torch.cuda.is_available()
    assert is_cuda_available() is False
    assert torch.cuda.is_available()


@case
def streams_and_events():
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        end.record()
    torch.cuda.synchronize()
    assert begin.elapsed_time(end) >= 0


if __name__ == "__main__":
    main()
