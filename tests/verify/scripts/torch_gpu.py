"""What a program written for two GPUs asks of torch, with the answers it expects."""

import copy
import io
import threading

import torch
import torch.distributed as dist
import torch.nn as nn

# who is there
assert torch.cuda.is_available()
assert torch.cuda.device_count() == 2
assert torch.cuda.get_device_capability() >= (7, 0)
assert torch.cuda.get_device_properties(0).total_memory > 1 << 30
assert torch.cuda.is_bf16_supported()
assert torch.version.cuda
assert torch.accelerator.is_available()
assert torch.accelerator.current_accelerator().type == "cuda"

# tensors are where they were put
x = torch.randn(4, 3)
y = x.cuda()
assert y.is_cuda and not x.is_cuda and x.is_cpu and not y.is_cpu
assert y.device == torch.device("cuda:0") and y.device.type == "cuda" and y.get_device() == 0
assert x.device == torch.device("cpu")
assert (y + 1).is_cuda and (y @ y.T).is_cuda and y[0].is_cuda and all(p.is_cuda for p in y.split(2))
assert (
    torch.zeros_like(y).is_cuda
    and y.new_ones(3).is_cuda
    and not torch.zeros_like(y, device="cpu").is_cuda
)
assert torch.zeros(3, device="cuda:1").device == torch.device("cuda", 1)
assert torch.tensor([1.0], device=1).get_device() == 1
assert x.to("cuda").is_cuda and x.to(torch.device("cuda")).is_cuda and x.to(0).is_cuda
assert x.to(y).is_cuda and x.to("cuda", torch.float16).dtype == torch.float16
assert x.to(device="cuda", dtype=torch.float64).is_cuda
assert y.half().is_cuda and y.to(torch.float16).is_cuda and not y.cpu().is_cuda
assert not y.to("cpu").is_cuda and y.type() == "torch.cuda.FloatTensor"
assert torch.from_numpy(y.cpu().numpy()).equal(x)

# a move is a copy, unless the tensor is there already
y.add_(1)
assert not torch.equal(y.cpu(), x) and y.cuda() is y and y.to("cuda") is y and x.cpu() is x
host = torch.empty(4, 3)
assert not host.copy_(y).is_cuda

# the current device
torch.cuda.set_device(1)
assert torch.cuda.current_device() == 1 and x.cuda().get_device() == 1
with torch.cuda.device(0):
    assert x.cuda().get_device() == 0
torch.cuda.set_device("cuda:0")
try:
    torch.cuda.set_device(2)
except RuntimeError as error:
    assert "invalid device ordinal" in str(error)
else:
    raise AssertionError("a GPU that is not there")

# modules
model = nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3)).cuda()
assert all(p.is_cuda for p in model.parameters()) and model[1].running_mean.is_cuda
assert next(copy.deepcopy(model).parameters()).device == torch.device("cuda:0")
assert nn.Parameter(torch.zeros(2, device="cuda")).is_cuda
assert nn.Linear(2, 2, device="cuda").weight.is_cuda
parallel = nn.DataParallel(model)
parallel(y).sum().backward()
assert parallel.module is model and model[0].weight.grad.is_cuda
model.cpu()
assert not any(p.is_cuda for p in model.parameters())

# types
assert isinstance(torch.cuda.FloatTensor(2), torch.cuda.FloatTensor)
assert not isinstance(x, torch.cuda.FloatTensor)
assert (
    x.type(torch.cuda.LongTensor).dtype == torch.int64 and x.type("torch.cuda.FloatTensor").is_cuda
)
torch.set_default_tensor_type("torch.cuda.FloatTensor")
torch.set_default_tensor_type(torch.FloatTensor)
with torch.device("cuda"):
    torch.zeros(3)

# random numbers: one stream for all devices
torch.manual_seed(5)
first = torch.rand(3, device="cuda")
torch.cuda.manual_seed_all(5)
assert torch.equal(first.cpu(), torch.rand(3))
state = torch.cuda.get_rng_state()
first = torch.rand(3)
torch.cuda.set_rng_state(state)
assert torch.equal(first, torch.rand(3))
generator = torch.Generator(device="cuda").manual_seed(3)
assert (
    isinstance(generator, torch.Generator)
    and torch.rand(2, generator=generator, device="cuda").is_cuda
)

# streams, events, memory
stream = torch.cuda.Stream()
begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
begin.record()
with torch.cuda.stream(stream):
    moved = x.cuda(non_blocking=True)
torch.cuda.current_stream().wait_stream(stream)
moved.record_stream(torch.cuda.current_stream())
end.record()
torch.cuda.synchronize()
assert begin.elapsed_time(end) >= 0
assert torch.cuda.max_memory_allocated() == 0 and x.pin_memory() is x
torch.cuda.empty_cache()
torch.cuda.nvtx.range_push("step")

# mixed precision follows the lists of a GPU
with torch.autocast("cuda"):
    product = y @ y.T
    assert product.dtype == torch.float16 and torch.is_autocast_enabled()
    assert product.softmax(-1).dtype == torch.float32 and product.sum().dtype == torch.float32
    assert (
        nn.functional.layer_norm(product, (4,)).dtype == torch.float32
        and product.relu().dtype == torch.float16
    )
    assert torch.get_autocast_gpu_dtype() == torch.float16
with torch.cuda.amp.autocast(dtype=torch.bfloat16):
    assert (y @ y.T).dtype == torch.bfloat16
assert (y @ y.T).dtype == torch.float32
scaler = torch.amp.GradScaler("cuda", init_scale=4.0)
assert scaler.is_enabled() and float(scaler.scale(torch.ones((), device="cuda"))) == 4.0

# files
buffer = io.BytesIO()
torch.save(y, buffer)
for location in (
    "cuda:0",
    torch.device("cuda"),
    {"cuda:0": "cuda:1"},
    lambda storage, place: storage.cuda(),
):
    buffer.seek(0)
    assert torch.load(buffer, map_location=location).cpu().equal(y.cpu())

# threads
seen = []
thread = threading.Thread(target=lambda: seen.append(torch.zeros(1, device="cuda").is_cuda))
thread.start()
thread.join()
assert seen == [True]

# process groups
dist.init_process_group("nccl", store=dist.HashStore(), rank=0, world_size=1)
assert dist.get_backend() == "nccl" and dist.is_nccl_available()
wrapped = nn.parallel.DistributedDataParallel(
    nn.Linear(3, 1).cuda(), device_ids=[0], output_device=0
)
wrapped(y).sum().backward()
total = torch.full((2,), 3.0, device="cuda")
dist.all_reduce(total, op=dist.ReduceOp.AVG)
dist.barrier(device_ids=[0])
assert total.tolist() == [3.0, 3.0]
dist.new_group([0], backend="nccl")
dist.destroy_process_group()
print("as on a GPU")
