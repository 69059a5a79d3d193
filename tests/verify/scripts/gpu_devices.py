"""How a program written for two GPUs names devices, and where it then finds its tensors."""

import copy
import io
import pickle
import threading

import torch
from gpu_cases import case, main, needs, raises
from torch import nn

CPU = torch.device("cpu")
FIRST, SECOND = torch.device("cuda", 0), torch.device("cuda", 1)


def on_cpu():
    return torch.arange(12.0).reshape(4, 3)


@case
def numbers_name_gpus():
    assert torch.device(0) == FIRST and torch.device(1) == SECOND
    assert torch.device("cuda:1") == SECOND and torch.device(type="cuda", index=1) == SECOND
    assert torch.device("cpu") == CPU and torch.device(FIRST) == FIRST
    assert isinstance(FIRST, torch.device) and not isinstance("cuda", torch.device)
    assert type(FIRST) == torch.device  # noqa: E721 (programs compare like this)
    assert pickle.loads(pickle.dumps(SECOND)) == SECOND
    assert copy.deepcopy(SECOND) == SECOND and {FIRST: 1}[torch.device(0)] == 1


@case
def tensors_are_where_they_were_put():
    x = on_cpu()
    for moved in (
        x.cuda(),
        x.cuda(0),
        x.cuda("cuda:0"),
        x.to("cuda"),
        x.to(FIRST),
        x.to(0),
        x.to("cuda:0", non_blocking=True),
        x.to(device="cuda"),
        x.to(device=0),
        x.to(x.cuda()),
        x.to("cuda", torch.float16),
        x.to(device="cuda", dtype=torch.float64),
        x.to(0, torch.float64, True),
    ):
        assert moved.is_cuda and not moved.is_cpu and moved.device == FIRST
        assert moved.get_device() == 0 and moved.device.type == "cuda"
    assert not x.is_cuda and x.is_cpu and x.device == CPU and x.get_device() == -1
    assert x.cuda(1).device == x.to(1).device == x.to("cuda:1").device == SECOND
    assert x.cuda().cuda(1).device == SECOND and x.cuda().cpu().device == CPU


@case
def tensors_are_made_on_the_named_device():
    y = on_cpu().cuda()
    for made in (
        torch.zeros(2, device="cuda"),
        torch.zeros(2, device=0),
        torch.tensor([1.0], device=FIRST),
        torch.as_tensor([1.0, 2.0], device="cuda"),
        torch.as_tensor(on_cpu().numpy(), device="cuda:0"),
        torch.full((2,), 3.0, device="cuda"),
        torch.arange(3, device="cuda"),
        torch.randn(2, 2, device="cuda"),
        torch.randint(0, 3, (2,), device="cuda"),
        torch.randperm(3, device="cuda"),
        torch.empty_like(on_cpu(), device="cuda"),
        torch.eye(2, device="cuda"),
        torch.linspace(0, 1, 3, device="cuda"),
        y.new_tensor([1.0]),
        y.new_zeros(2),
        y.new_empty(2),
        y.new_full((2,), 1.0),
        y.new(2),
        torch.zeros_like(y),
        torch.rand_like(y),
        torch.sparse_coo_tensor(torch.zeros(1, 1, dtype=torch.long), [1.0], (2,), device="cuda"),
    ):
        assert made.device == FIRST, made
    assert y.new_zeros(2, device="cpu").device == CPU
    assert torch.zeros_like(y, device="cpu").device == CPU
    assert torch.zeros(2, device=1).device == SECOND


@case
def results_are_where_their_arguments_are():
    y = on_cpu().cuda()
    for result in (
        y + 1,
        1 - y,
        y @ y.T,
        y[0],
        y[y > 2],
        y.half(),
        y.to(torch.float64),
        y.detach(),
        y.data,
        y.sum(),
        y.max(0).values,
        torch.cat([y, y]),
        torch.stack((y, y)),
        torch.where(y > 1, y, torch.zeros_like(y)),
        torch.einsum("ij,kj->ik", y, y),
        nn.functional.relu(y),
        *y.split(2),
        *torch.topk(y, 2),
        *torch.linalg.svd(y),
        *y.unbind(),
        next(iter(y)),
    ):
        assert result.device == FIRST, result
    assert torch.broadcast_tensors(y, y[0])[1].is_cuda


@case
def a_move_is_a_copy_unless_the_tensor_is_there_already():
    x = on_cpu()
    y = x.cuda()
    y.add_(1)
    assert not torch.equal(y.cpu(), x)
    assert y.cuda() is y and y.to("cuda") is y and y.to(0) is y and x.cpu() is x
    assert y.cuda(1) is not y and not x.copy_(y).is_cuda


@case
def a_gpu_that_is_not_there_is_an_error():
    for call in (
        lambda: torch.cuda.set_device(2),
        lambda: on_cpu().cuda(2),
        lambda: on_cpu().to("cuda:2"),
        lambda: torch.zeros(2, device="cuda:2"),
        lambda: torch.cuda.synchronize(2),
        lambda: torch.Generator(device="cuda:2"),
    ):
        raises(RuntimeError, "invalid device ordinal", call)
    raises(AssertionError, "Invalid device id", torch.cuda.get_device_properties, 2)
    raises(ValueError, "must be cuda device", on_cpu().cuda, "cpu")


@case
def the_current_gpu_is_where_cuda_goes():
    try:
        torch.cuda.set_device(1)
        assert torch.cuda.current_device() == 1 and on_cpu().cuda().device == SECOND
        assert torch.zeros(2, device="cuda").device == SECOND
        with torch.cuda.device(0):
            assert on_cpu().cuda().device == FIRST
        with torch.cuda.device_of(on_cpu()):
            assert torch.cuda.current_device() == 1
        with torch.cuda.device_of(on_cpu().cuda(0)):
            assert torch.cuda.current_device() == 0
        torch.cuda.set_device(-1)
        assert torch.cuda.current_device() == 1
    finally:
        torch.cuda.set_device("cuda:0")


@case
def modules_move():
    for move in (
        lambda module: module.cuda(),
        lambda module: module.to("cuda"),
        lambda module: module.to(0),
        lambda module: module.to(device=0),
        lambda module: module.to(FIRST, torch.float32),
        lambda module: module.to(on_cpu().cuda()),
        lambda module: module.to_empty(device="cuda"),
    ):
        module = move(nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3)))
        tensors = [*module.parameters(), *module.buffers()]
        assert all(one.device == FIRST for one in tensors)
        assert next(copy.deepcopy(module).parameters()).device == FIRST
        assert not any(one.is_cuda for one in module.cpu().parameters())
    rank = 1
    assert (
        nn.Linear(2, 2).to(rank).weight.device == nn.Linear(2, 2).cuda(rank).bias.device == SECOND
    )
    assert nn.Linear(2, 2, device="cuda").weight.is_cuda
    assert nn.Parameter(torch.zeros(2, device="cuda")).is_cuda
    lazy = nn.LazyLinear(2).cuda()
    assert lazy(on_cpu().cuda()).is_cuda and lazy.weight.is_cuda
    meta = nn.Linear(2, 2, device="meta").to_empty(device="cuda")
    assert meta.weight.is_cuda


@case
def buffers_keep_their_device():
    buffer = needs(nn, "Buffer")
    assert buffer(torch.zeros(2, device="cuda")).is_cuda


@case
def types_name_gpus():
    x = on_cpu()
    assert isinstance(torch.cuda.FloatTensor(2), torch.cuda.FloatTensor)
    assert torch.cuda.FloatTensor([1.0, 2.0]).tolist() == [1.0, 2.0]
    assert not isinstance(x, torch.cuda.FloatTensor)
    assert x.cuda().type() == "torch.cuda.FloatTensor" and x.type() == "torch.FloatTensor"
    assert x.type(torch.cuda.LongTensor).dtype == torch.int64
    assert x.type("torch.cuda.FloatTensor").is_cuda
    assert not x.cuda().type(torch.FloatTensor).is_cuda
    assert x.cuda().type(torch.float64).is_cuda


@case
def a_default_type_is_a_default_device():
    torch.set_default_tensor_type("torch.cuda.FloatTensor")
    try:
        assert torch.ones(2).device == FIRST and torch.tensor([1.0]).is_cuda
        assert nn.Linear(2, 2).weight.is_cuda
    finally:
        torch.set_default_tensor_type(torch.FloatTensor)
    torch.set_default_tensor_type(torch.cuda.DoubleTensor)
    try:
        assert torch.ones(2).is_cuda and torch.ones(2).dtype == torch.float64
    finally:
        torch.set_default_tensor_type("torch.FloatTensor")
    assert torch.ones(2).device == CPU and torch.ones(2).dtype == torch.float32


@case
def a_default_device_is_where_tensors_are_made():
    for default in ("cuda", FIRST, 0):
        torch.set_default_device(default)
        try:
            assert torch.ones(2).device == FIRST and torch.randn(2).is_cuda
            assert torch.tensor([1.0]).is_cuda and nn.Linear(2, 2).weight.is_cuda
            assert torch.ones(2, device="cpu").device == CPU
            assert torch.from_numpy(on_cpu().cpu().numpy()).device == CPU
            assert (torch.ones(2) + 1).is_cuda
            if hasattr(torch, "get_default_device"):
                assert torch.get_default_device() == FIRST
        finally:
            torch.set_default_device(None)
        assert torch.ones(2).device == CPU


@case
def a_device_is_a_context():
    with torch.device("cuda"):
        assert torch.ones(2).device == FIRST
        with torch.device("cpu"):
            assert torch.ones(2).device == CPU
        with torch.device("cuda", 1):
            assert torch.ones(2).device == SECOND
        with torch.device("meta"):
            assert torch.ones(2).device.type == "meta"
        assert nn.Linear(2, 2).weight.is_cuda
    assert torch.ones(2).device == CPU


@case
def generators_name_their_gpu():
    generator = torch.Generator(device="cuda").manual_seed(3)
    assert isinstance(generator, torch.Generator) and generator.device == FIRST
    assert torch.Generator().device == CPU and torch.Generator("cuda:1").device == SECOND
    made = torch.rand(2, generator=generator, device="cuda")
    assert made.is_cuda
    assert torch.equal(made.cpu(), torch.rand(2, generator=torch.Generator().manual_seed(3)))
    state = generator.get_state()
    again = torch.rand(2, generator=generator, device="cuda")
    generator.set_state(state)
    assert torch.equal(again, torch.rand(2, generator=generator, device="cuda"))
    assert generator.initial_seed() == 3


@case
def random_numbers_come_from_one_stream():
    torch.manual_seed(5)
    first = torch.rand(3, device="cuda")
    torch.cuda.manual_seed_all(5)
    assert torch.equal(first.cpu(), torch.rand(3))
    torch.cuda.manual_seed(5)
    assert torch.cuda.initial_seed() == 5
    for state, restore in (
        (torch.cuda.get_rng_state(), torch.cuda.set_rng_state),
        (torch.cuda.get_rng_state("cuda:1"), lambda one: torch.cuda.set_rng_state(one, 1)),
        (torch.cuda.get_rng_state_all(), torch.cuda.set_rng_state_all),
        (torch.cuda.random.get_rng_state(), torch.cuda.random.set_rng_state),
    ):
        restore(state)
        first = torch.rand(3, device="cuda")
        restore(state)
        assert torch.equal(first, torch.rand(3, device="cuda"))
    with torch.random.fork_rng(devices=[0, 1]):
        inside = torch.rand(3)
    assert torch.equal(inside, torch.rand(3))


@case
def the_accelerator_is_cuda():
    accelerator = needs(torch, "accelerator")
    assert accelerator.is_available() and accelerator.device_count() == 2
    assert accelerator.current_accelerator() == torch.device("cuda")
    accelerator.set_device_index(1)
    assert accelerator.current_device_index() == torch.cuda.current_device() == 1
    accelerator.set_device_index(0)
    accelerator.synchronize()
    assert accelerator.current_stream() == torch.cuda.current_stream()
    if hasattr(accelerator, "device_index"):
        with accelerator.device_index(1):
            assert accelerator.current_device_index() == 1
    if hasattr(accelerator, "memory_allocated"):
        assert accelerator.memory_allocated() == 0 and accelerator.memory_stats()
        accelerator.empty_cache()
        accelerator.reset_peak_memory_stats()


@case
def streams_and_events_of_any_device_are_those_of_cuda():
    event = needs(torch, "Event")(device="cuda", enable_timing=True)
    stream = torch.Stream(device="cuda")
    event.record(stream)
    assert isinstance(torch.cuda.current_stream(), torch.Stream) and event.query()
    assert stream.device == FIRST


@case
def the_module_of_the_device_is_cuda():
    get = needs(torch, "get_device_module")
    assert get() is torch.cuda and get("cuda") is torch.cuda and get("cpu") is torch.cpu


@case
def files_keep_the_gpu():
    y = on_cpu().cuda()
    model = nn.Linear(3, 1).cuda()
    for saved, found in ((y, lambda one: one), (model.state_dict(), lambda one: one["weight"])):
        buffer = io.BytesIO()
        torch.save(saved, buffer)
        for location, device in (
            (None, FIRST),
            ("cpu", CPU),
            (CPU, CPU),
            ("cuda:1", SECOND),
            (torch.device("cuda"), FIRST),
            ({"cuda:0": "cuda:1"}, SECOND),
            ({"cuda:0": "cpu"}, CPU),
            (lambda storage, place: storage, CPU),
            (lambda storage, place: storage.cuda(1), SECOND),
        ):
            buffer.seek(0)
            loaded = found(torch.load(buffer, map_location=location))
            assert loaded.device == device, (location, loaded.device)
            assert torch.equal(loaded.cpu(), found(saved).detach().cpu())
        buffer.seek(0)
        raises(
            RuntimeError, "CUDA device 7", torch.load, buffer, map_location=torch.device("cuda:7")
        )
    model.load_state_dict({name: one.cpu() for name, one in model.state_dict().items()})
    assert model.weight.is_cuda


@case
def files_of_the_cpu_stay_there():
    buffer = io.BytesIO()
    torch.save({"cpu": on_cpu(), "gpu": on_cpu().cuda()}, buffer)
    buffer.seek(0)
    loaded = torch.load(buffer)
    assert loaded["cpu"].device == CPU and loaded["gpu"].device == FIRST
    assert not vars(loaded["cpu"])


@case
def whole_modules_and_optimizers_are_saved():
    model = nn.Sequential(nn.Linear(3, 2), nn.BatchNorm1d(2)).cuda()
    optimizer = torch.optim.Adam(model.parameters())
    model(on_cpu().cuda()).sum().backward()
    optimizer.step()
    buffer = io.BytesIO()
    torch.save((model, optimizer.state_dict()), buffer)
    buffer.seek(0)
    loaded, state = torch.load(buffer, weights_only=False)
    assert all(one.device == FIRST for one in (*loaded.parameters(), *loaded.buffers()))
    assert state["state"][0]["exp_avg"].is_cuda
    optimizer.load_state_dict(state)
    assert optimizer.state[model[0].weight]["exp_avg"].is_cuda
    assert pickle.loads(pickle.dumps(model))[0].weight.device == FIRST
    assert copy.deepcopy(on_cpu().cuda()).device == FIRST


@case
def pinned_memory_is_believed():
    x = on_cpu()
    pinned = x.pin_memory()
    assert pinned is not x and pinned.is_pinned() and not x.is_pinned() and not pinned.is_cuda
    assert pinned.pin_memory() is pinned and torch.equal(pinned, x)
    assert torch.empty(2, pin_memory=True).is_pinned()
    assert not torch.empty(2, pin_memory=False).is_pinned()
    raises(RuntimeError, "cannot pin", x.cuda().pin_memory)


@case
def threads_have_gpus():
    seen = []
    thread = threading.Thread(target=lambda: seen.append(torch.zeros(1, device="cuda").is_cuda))
    thread.start()
    thread.join()
    assert seen == [True]


@case
def each_thread_has_a_current_gpu_of_its_own():
    seen = []

    def other():
        seen.append(torch.cuda.current_device())
        torch.cuda.set_device(1)
        seen.append(on_cpu().cuda().device)

    with torch.cuda.device(1):
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert seen == [0, SECOND]
    assert torch.cuda.current_device() == 0


@case
def numpy_takes_tensors_of_the_cpu():
    assert torch.from_numpy(on_cpu().cuda().cpu().numpy()).equal(on_cpu())
    assert on_cpu().cuda().tolist() == on_cpu().tolist() and on_cpu().cuda()[0, 1].item() == 1.0


main()
