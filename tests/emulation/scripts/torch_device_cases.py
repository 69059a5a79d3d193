"""Tensors of the emulated NPU: what they can do, and which mistakes raise in which words."""

import copy
import gc
import inspect
import io
import multiprocessing
import os
import pickle
import sys
import tempfile
import threading
import warnings
from pathlib import Path

import torch
import torch.nn.functional as F  # noqa: N812
from torch import nn
from torch_harness import HAS_ACCELERATOR, case, main, raises, same
from torch_npu._device import path

warnings.simplefilter("ignore")
MIXED = "Expected all tensors to be on the same device, but found at least two devices, npu:0 and"


def npu(*shape):
    return torch.arange(1.0, 1.0 + torch.Size(shape).numel()).reshape(shape).npu()


def net():
    return nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.AdaptiveAvgPool2d(2),
        nn.Flatten(), nn.Dropout(0.1), nn.Linear(32, 5),
    )  # fmt: skip


@case
def tensors_say_where_they_are():
    x = torch.zeros(2, device="npu")
    assert str(x.device) == "npu:0" and x.is_npu and not x.is_cuda and not x.is_cpu
    assert x.get_device() == 0 and x.device == torch.device("npu", 0)
    for made in (
        x.new_zeros(3), torch.zeros_like(x), torch.tensor([1.0], device="npu:0"), x + 1,
        torch.randn(3, device="npu"), torch.randperm(5, device="npu"), torch.empty(2).npu(0),
        torch.arange(5, device="npu"), torch.full((2,), 3, device="npu"), x[:1], x.view(1, 2),
        x.detach(), x.t(), x.expand(3, 2), torch.as_tensor([1], device="npu"),
        torch.empty(2).npu(non_blocking=True), torch.eye(2, device="npu"), x.to("npu", x.dtype),
    ):  # fmt: skip
        assert made.is_npu and made.device.type == "npu", made
    assert torch.zeros_like(x, device="cpu").is_cpu and x.cpu().is_cpu
    assert x.to(0).is_npu


@case
def what_is_left_on_the_cpu_raises():
    x, y = npu(2, 2), torch.ones(2, 2)
    for call in (
        lambda: x + y, lambda: y + x, lambda: x @ y, lambda: y @ x, lambda: x.add_(y),
        lambda: y.add_(x), lambda: torch.cat([x, y]), lambda: torch.stack([y, x]),
        lambda: torch.where(x > 1, x, y), lambda: nn.Linear(2, 2).npu()(y),
        lambda: F.cross_entropy(x, torch.tensor([0, 1])), lambda: F.embedding(torch.tensor([0]), x),
        lambda: F.conv2d(npu(1, 1, 3, 3), torch.ones(1, 1, 2, 2)),
        lambda: F.scaled_dot_product_attention(npu(1, 2, 2), y[None], y[None]),
        lambda: nn.LSTM(2, 2).npu()(y), lambda: torch.gather(x, 0, torch.zeros(1, 2).long()),
        lambda: F.layer_norm(x, (2,), torch.ones(2)), lambda: x.masked_fill_(y > 0, 1.0),
        lambda: torch._foreach_add_([x], [y]), lambda: F.mse_loss(x, y),
    ):  # fmt: skip
        raises(RuntimeError, MIXED, call)


@case
def numbers_without_dimensions_mix():
    x = npu(2)
    same(x * torch.tensor(2.0), torch.tensor([2.0, 4.0]))
    same(torch.tensor(2.0) + x, torch.tensor([3.0, 4.0]))
    assert (x * torch.tensor(2, dtype=torch.float64)).dtype is torch.float32
    same(torch.take_along_dim(x, torch.tensor([1]).npu(), 0), torch.tensor([2.0]))
    same(2**x, torch.tensor([2.0, 4.0]))


@case
def other_mistakes_raise():
    x = npu(2)
    raises(TypeError, "can't convert npu:0 device type tensor to numpy", x.numpy)
    raises(TypeError, "can't convert npu:0 device type tensor to numpy", x.__array__)
    raises(AssertionError, "Torch not compiled with CUDA", torch.ones(1).cuda)
    raises(AssertionError, "Torch not compiled with CUDA", x.cuda)
    raises(RuntimeError, "Invalid device ID", torch.zeros, 1, device="npu:7")
    raises(NotImplementedError, "has no sparse", lambda: torch.eye(2).to_sparse().npu())
    raises(NotImplementedError, "has no sparse", lambda: torch.eye(2).npu().to_sparse())
    raises(RuntimeError, "'npu' device type for generator", lambda: torch.rand(
        1, device="npu", generator=torch.Generator()))  # fmt: skip
    if path.is_fast:
        raises(RuntimeError, "'cpu' device type for generator", lambda: torch.rand(
            1, generator=torch.Generator("npu")))  # fmt: skip
    raises(RuntimeError, "only dense CPU tensors can be pinned", x.pin_memory)
    raises(RuntimeError, "shape '[3]' is invalid", x.view, 3)
    raises(RuntimeError, "unsafe to autocast", banned_under_autocast)


def banned_under_autocast():
    with torch.autocast("npu"):
        F.binary_cross_entropy(torch.ones(1).npu(), torch.ones(1).npu())


@case
def tensors_without_bytes_do_not_crash():
    for shape in ((0,), (0, 3), (2, 0)):
        x = torch.empty(shape, device="npu")
        assert (x + 1).shape == shape and x.sum().item() == 0 and x.clone().cpu().shape == shape
        assert torch.cat([x, x]).is_npu and x.t().is_npu and x.to(torch.int64).is_npu
    meta = torch.empty(2, device="meta")
    raises((RuntimeError, NotImplementedError), "", lambda: npu(2) + meta)
    assert torch._efficientzerotensor((2,), device="npu").add(1).tolist() == [1, 1]
    with torch.inference_mode():
        assert (npu(2) * 2).tolist() == [2, 4]


@case
def views_share_memory():
    x = torch.zeros(4, 4).npu()
    x[1:3, :2] = 5
    x.view(-1)[0] = 7
    x.t()[1].add_(1)
    x.unfold(0, 2, 2)[1, 3, 0] = 9
    expected = torch.zeros(4, 4)
    expected[1:3, :2] = 5
    expected.view(-1)[0] = 7
    expected.t()[1].add_(1)
    expected.unfold(0, 2, 2)[1, 3, 0] = 9
    same(x, expected)
    assert x.detach().data_ptr() == x.data_ptr()
    assert x.untyped_storage().data_ptr() == x[1:].untyped_storage().data_ptr()


@case
def shapes_change_in_place():
    x = torch.ones(2, 2).npu()
    assert x.resize_(3, 3).shape == (3, 3) and x.device.type == "npu"
    assert x.flatten()[:4].tolist() == [1, 1, 1, 1]
    x.fill_(1.0)
    assert x.unsqueeze_(0).shape == (1, 3, 3) and x.squeeze_().t_().shape == (3, 3)
    out = torch.empty(0, device="npu")
    torch.cat([x, x], out=out)
    assert out.shape == (6, 3) and out.is_npu and out.sum().item() == x.sum().item() * 2
    y = torch.ones(2).npu()
    y.set_(x)
    assert y.shape == x.shape and y.is_npu and y.data_ptr() == x.data_ptr()
    y.data = torch.ones(5).npu()
    assert y.sum().item() == 5
    assert y.set_().numel() == 0


@case
def storages_that_are_freed_and_taken_again():
    tensor = npu(8)
    storage = tensor.untyped_storage()
    whole, held = storage.nbytes(), torch.npu.memory_allocated()
    storage.resize_(0)
    assert storage.nbytes() == storage.size() == 0 == tensor._typed_storage()._size()
    assert torch.npu.memory_allocated() == held - whole
    storage.resize_(whole)
    assert storage.nbytes() == whole and torch.npu.memory_allocated() == held
    if not path.is_fast:
        assert tensor.isnan().all(), "what was freed is not there again"
    tensor.fill_(2)
    storage.resize_(whole // 2)
    assert tensor[:4].sum().item() == 8


@case
def storages_of_the_npu():
    storage = torch.UntypedStorage(16, device="npu")
    assert storage.device.type == "npu" and storage.nbytes() == 16
    if path.is_fast:
        storage.resize_(64)
        assert storage.nbytes() == 64 and storage.device.type == "npu"
    else:
        raises(NotImplementedError, "16 bytes, 64 requested", storage.resize_, 64)
    assert storage.clone().device.type == "npu" and storage.cpu().device.type == "cpu"
    assert torch.UntypedStorage(4).device.type == "cpu"
    tensor = torch.empty(0, device="npu").set_(storage)
    assert tensor.is_npu and tensor.numel() == storage.nbytes() // 4
    assert npu(2).untyped_storage().device.type == "npu"
    assert torch.ones(2).untyped_storage().device.type == "cpu"


@case
def gradients_are_on_the_npu():
    x = npu(3).requires_grad_()
    y = x * 1
    y[0] = 5
    y.mul_(2).sum().backward()
    assert x.grad.is_npu and x.grad.tolist() == [0, 2, 2]
    x.grad = None
    (gradient,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
    gradient.sum().backward()
    assert torch.allclose(x.grad, 6 * x)
    same(torch.func.vmap(torch.func.grad(lambda v: (v**2).sum()))(npu(3, 2)), 2 * npu(3, 2).cpu())
    m = net().npu()
    seen = []
    m[0].register_full_backward_hook(lambda *_: seen.append(1))
    m(torch.randn(2, 3, 8, 8).npu()).sum().backward()
    assert seen == [1] and all(p.grad.is_npu for p in m.parameters())


@case
def modules_keep_their_parameters():
    m = nn.Linear(2, 2)
    optimizer = torch.optim.SGD(m.parameters(), lr=1.0)
    before = m.weight
    m.npu()
    assert m.weight is before and isinstance(m.weight, nn.Parameter) and m.weight.is_npu
    kept = m.weight.detach().clone()
    m(torch.ones(1, 2).npu()).sum().backward()
    optimizer.step()
    assert not torch.equal(kept, m.weight)
    assert m.cpu().weight is before and before.is_cpu
    made = nn.Parameter(torch.ones(1).npu())
    assert made.is_npu and made.requires_grad and made.is_leaf and type(made) is nn.Parameter
    with torch.device("npu"):
        assert nn.Linear(2, 2).weight.is_npu


@case
def copies_and_pickles():
    x = npu(3)
    for made in (copy.deepcopy(x), pickle.loads(pickle.dumps(x)), copy.deepcopy(nn.Parameter(x))):
        assert made.is_npu and made.data_ptr() != x.data_ptr()
        same(made.detach(), x)
    m = copy.deepcopy(net().npu())
    assert all(p.is_npu for p in m.parameters())
    assert str(npu(2)) == "tensor([1., 2.], device='npu:0')"


def round_trip(value, **kwargs):
    file = io.BytesIO()
    torch.save(value, file)
    file.seek(0)
    return torch.load(file, **kwargs)


@case
def checkpoints():
    x = npu(3)
    assert round_trip(x).is_npu
    assert round_trip(x, map_location="cpu").is_cpu
    assert round_trip(x, map_location=torch.device("cpu")).is_cpu
    assert round_trip(x, map_location={"npu:0": "cpu"}).is_cpu
    assert round_trip(x, map_location=lambda storage, place: storage).is_cpu
    assert round_trip(torch.ones(2), map_location="npu").is_npu
    assert round_trip(torch.ones(2), map_location="npu:0").is_npu
    assert round_trip(torch.ones(2), map_location=lambda storage, place: storage.npu()).is_npu
    same(round_trip(x), x)
    raises(RuntimeError, "device_count() is 1", round_trip, x, map_location="npu:3")
    m, optimizer = trained()
    again = round_trip({"m": m.state_dict(), "o": optimizer.state_dict()}, weights_only=True)
    assert all(v.is_npu for v in again["m"].values())
    other = net().npu()
    other.load_state_dict(again["m"])
    same(other[0].weight, m[0].weight)


def trained():
    m = net().npu()
    optimizer = torch.optim.Adam(m.parameters())
    F.cross_entropy(m(torch.randn(4, 3, 8, 8).npu()), torch.arange(4).npu()).backward()
    optimizer.step()
    return m, optimizer


@case
def tied_weights_stay_tied():
    w = npu(4, 4)
    loaded = round_trip({"a": w, "b": w.t()})
    loaded["a"][0, 1] = 9.0
    assert loaded["b"][1, 0].item() == 9.0


@case
def random_streams():
    torch.manual_seed(7)
    first, host = torch.randn(3, device="npu"), torch.randn(3)
    torch.manual_seed(7)
    same(torch.randn(3), host)
    same(torch.randn(3, device="npu"), first)
    torch.npu.manual_seed_all(3)
    a = torch.rand(4, device="npu")
    torch.npu.manual_seed(3)
    same(torch.rand(4, device="npu"), a)
    kept = torch.npu.get_rng_state()
    assert kept.dtype is torch.uint8 and kept.is_cpu
    a = F.dropout(torch.ones(50).npu())
    torch.npu.set_rng_state(kept)
    same(F.dropout(torch.ones(50).npu()), a)
    g = torch.Generator(device="npu").manual_seed(1)
    assert g.device.type == "npu" and isinstance(g, torch.Generator)
    assert torch.Generator().device.type == "cpu"
    a = torch.randn(3, device="npu", generator=g)
    same(a, torch.randn(3, generator=torch.Generator().manual_seed(1)))
    q, lstm = torch.ones(1, 2, 4, 4).npu(), nn.LSTM(2, 2, 2, dropout=0.5).npu()
    cpu, device = torch.get_rng_state(), torch.npu.get_rng_state()
    F.scaled_dot_product_attention(q, q, q, dropout_p=0.5)
    lstm(npu(1, 1, 2))
    torch.native_dropout(npu(3), 0.5, True)
    same(torch.get_rng_state(), cpu)
    assert not torch.equal(torch.npu.get_rng_state(), device)
    assert torch.npu.initial_seed() == 3 and len(torch.npu.default_generators) == 1
    with torch.random.fork_rng(devices=[0], device_type="npu"):
        torch.rand(1, device="npu")


@case
def streams_and_events():
    stream = torch.npu.Stream()
    start, end = (torch.npu.Event(enable_timing=True) for _ in range(2))
    raises(RuntimeError, "must be recorded", start.elapsed_time, end)
    with torch.npu.stream(stream):
        assert torch.npu.current_stream() == stream
        start.record()
        npu(50, 50) @ npu(50, 50)
        end.record()
    assert torch.npu.current_stream() == torch.npu.default_stream() != stream
    assert start.elapsed_time(end) >= 0 and end.query()
    torch.npu.current_stream().wait_stream(stream)
    npu(2).record_stream(stream)
    plain = torch.npu.Event()
    plain.record()
    raises(RuntimeError, "enable_timing=True", plain.elapsed_time, end)
    if HAS_ACCELERATOR:
        torch.accelerator.synchronize()
        assert str(torch.accelerator.current_accelerator()) == "npu"
        assert torch.accelerator.device_count() == 1
        assert torch.accelerator.current_device_index() == 0


@case
def memory_is_counted():
    gc.collect()
    torch.npu.reset_peak_memory_stats()
    before = torch.npu.memory_allocated()
    x = torch.zeros(1000, device="npu")
    view = x[:10].view(2, 5)
    assert torch.npu.memory_allocated() - before == 4000
    y = x * 2
    del y
    assert torch.npu.memory_allocated() - before == 4000
    assert torch.npu.max_memory_allocated() - before == 8000
    del x
    assert torch.npu.memory_allocated() - before == 4000
    del view
    assert torch.npu.memory_allocated() == before
    torch.npu.reset_peak_memory_stats()
    assert torch.npu.max_memory_allocated() == before
    stats = torch.npu.memory_stats()
    assert stats["allocated_bytes.all.current"] == before and "num_ooms" in stats
    free, total = torch.npu.mem_get_info()
    assert 0 < free <= total == torch.npu.get_device_properties(0).total_memory
    torch.npu.empty_cache()
    assert torch.npu.memory_reserved() == before and "Allocated" in torch.npu.memory_summary()


@case
def activations_are_counted_until_backward():
    x = torch.zeros(1000, device="npu", requires_grad=True)
    before = torch.npu.memory_allocated()
    y = x.exp().tanh().sum()
    assert torch.npu.memory_allocated() - before >= 8000
    y.backward()
    del y
    x.grad = None
    assert torch.npu.memory_allocated() == before


@case
def nothing_grows():
    m, x = nn.Linear(8, 8).npu(), torch.ones(4, 8).npu()
    optimizer = torch.optim.AdamW(m.parameters(), foreach=True)

    def steps(count):
        for _ in range(count):
            optimizer.zero_grad()
            m(x).relu().sum().backward()
            optimizer.step()
        gc.collect()
        return torch.npu.memory_allocated(), torch.npu.memory_stats()["allocation.all.current"]

    held, objects = steps(20), len(gc.get_objects())
    assert steps(300) == held
    assert len(gc.get_objects()) - objects < 20


@case
def pinned_memory():
    x = torch.ones(3)
    assert not x.is_pinned() and x.pin_memory().is_pinned() and x.pin_memory("npu").is_pinned()
    data = torch.utils.data.TensorDataset(torch.randn(8, 3), torch.arange(8))
    # before torch 2.7 a loader pins for CUDA where no device is named
    pins = "accelerator" in inspect.getsource(torch.utils.data.dataloader)
    usual = {} if pins else {"pin_memory_device": "npu"}
    for options in (usual, {"num_workers": 1, **usual}, {"pin_memory_device": "npu"}):
        for a, b in torch.utils.data.DataLoader(data, 4, pin_memory=True, **options):
            assert a.is_pinned() and b.npu(non_blocking=True).is_npu


@case
def pinned_memory_from_the_start():
    here, there = torch.ones(2), npu(2)
    for made in (
        torch.empty(3, pin_memory=True), torch.zeros(3, dtype=torch.int64, pin_memory=True),
        torch.tensor([1.0], pin_memory=True), torch.randn(3, pin_memory=True),
        torch.arange(3, pin_memory=True), here.new_empty(2, pin_memory=True),
        torch.empty_like(here, pin_memory=True), torch.empty_strided((2,), (1,), pin_memory=True),
        torch.empty_like(there, device="cpu", pin_memory=True),
    ):  # fmt: skip
        assert made.is_cpu and made.is_pinned() and made[:1].is_pinned()
        assert made.untyped_storage().is_pinned() and made.pin_memory() is made
        assert made.npu(non_blocking=True).is_npu and not made.clone().is_pinned()
    back = torch.empty(2, pin_memory=True).copy_(there, non_blocking=True)
    same(back, there)
    only = "Only dense CPU tensors can be pinned"
    raises(RuntimeError, only, torch.empty, 2, device="npu", pin_memory=True)
    raises(RuntimeError, only, torch.zeros_like, there, pin_memory=True)
    raises(RuntimeError, only, there.new_zeros, 2, pin_memory=True)


@case
def functions_that_pin_are_still_torchs_own():
    for device in ("cpu", "npu"):
        with torch.device(device):
            assert torch.zeros(2).device.type == torch.tensor([1.0]).device.type == device
    scripted = torch.jit.script(_zeros)
    assert "aten::zeros" in str(scripted.graph)
    compiled = torch.compile(_zeros, backend="aot_eager", fullgraph=True)
    for function in (scripted, compiled):
        same(function(npu(2)), npu(2))


def _zeros(x):
    return x + torch.zeros(2, device=x.device) + torch.zeros_like(x)


@case
def backward_runs_in_the_thread_that_calls_it():
    ran = []
    x = npu(2).requires_grad_()
    x.register_hook(lambda gradient: ran.append(threading.current_thread()))
    x.sum().backward()
    other = threading.Thread(target=lambda: (x * x).sum().backward())
    other.start()
    other.join()
    assert ran[0] is threading.main_thread() and len(ran) == 2
    assert x.grad.tolist() == [3.0, 5.0]


@case
def views_of_every_kind_of_tensor():
    class Marked(torch.Tensor):
        pass

    plain = npu(2, 3)
    complex_ = torch.complex(plain, plain)
    kinds = (
        plain, nn.Parameter(plain), plain.as_subclass(Marked), plain[:, :0], plain.expand(2, 3),
        complex_.conj(), complex_.conj().imag,
    )  # fmt: skip
    with torch.inference_mode():
        kinds = (*kinds, plain.clone())
    for x in kinds:
        for view in (
            lambda x: x.t(), lambda x: x.transpose(0, 1), lambda x: x.unsqueeze(1),
            lambda x: x.as_strided(x.shape[1:], x.stride()[1:]), lambda x: x[:1],
        ):  # fmt: skip
            seen = view(x)
            assert seen.is_npu and type(seen) is (Marked if type(x) is Marked else torch.Tensor)
            assert seen.untyped_storage().data_ptr() == x.untyped_storage().data_ptr()
            assert seen.is_conj() == x.is_conj() and seen.is_neg() == x.is_neg()
            same(seen, view(x.detach().cpu()))
    written = npu(2, 3)
    written.t().mul_(2)
    same(written, 2 * npu(2, 3))
    assert written._version == 1


@case
def autocast_types():
    m, x = net().npu(), torch.randn(2, 3, 8, 8).npu()
    with torch.autocast("npu", dtype=torch.float16):
        y = m(x)
        assert y.dtype is torch.float16 and F.softmax(y, -1).dtype is torch.float32
        loss = F.cross_entropy(y, torch.tensor([0, 1]).npu())
        assert loss.dtype is torch.float32 and (y + x.sum(1)[0, 0, :5]).dtype is torch.float32
        assert torch.addcmul(x, x, x.half()).dtype is torch.float32
        with torch.autocast("npu", enabled=False):
            assert m(x).dtype is torch.float32
    loss.backward()
    assert m[0].weight.grad.dtype is torch.float32
    with torch.npu.amp.autocast(dtype=torch.bfloat16):
        assert m(x).dtype is torch.bfloat16 and torch.npu.is_autocast_enabled()
    with torch.npu.amp.autocast(enabled=False):
        assert m(x).dtype is torch.float32
    assert m(x).dtype is torch.float32


@case
def a_backward_pass_has_the_type_of_its_forward_pass():
    seen = []

    class Product(torch.autograd.Function):
        @staticmethod
        @torch.npu.amp.custom_fwd
        def forward(context, x, y):
            context.save_for_backward(x, y)
            return x @ y

        @staticmethod
        @torch.npu.amp.custom_bwd
        def backward(context, gradient):
            x, y = context.saved_tensors
            seen.append((x @ y).dtype)
            return gradient, gradient

    x = npu(2, 2).requires_grad_()
    for dtype in (torch.bfloat16, torch.float16):
        with torch.npu.amp.autocast(dtype=dtype):
            product = Product.apply(x, x)
        assert product.dtype is dtype
        product.sum().backward()
    Product.apply(x, x).sum().backward()
    assert seen == [torch.bfloat16, torch.float16, torch.float32], seen


@case
def numbers_of_16_bits_without_a_kernel_of_the_cpu():
    from ascendify_startup import torch_half as half

    for text, dtype in (
        ("\"slow_conv2d_cpu\" not implemented for 'Half'", torch.float16),
        ("could not create a primitive descriptor for a convolution", torch.bfloat16),
        ("The size of tensor a must match", None),
    ):
        assert half.missing(RuntimeError(text)) is dtype, text
    raises(RuntimeError, "must match", half.call, torch.add, (torch.ones(2), torch.ones(3)), {})
    add = torch.ops.aten.add_.Tensor
    for dtype in (torch.float16, torch.bfloat16):
        x, y = (torch.randn(4, 4).to(dtype) for _ in range(2))
        product = half.compute_in_float32(dtype, torch.ops.aten.mm.default, (x, y), {})
        same(product, (x.float() @ y.float()).to(dtype))
        expected = (x.float() + y.float()).to(dtype)
        assert half.compute_in_float32(dtype, add, (x, y), {}) is x
        same(x, expected)


@case
def recurrent_layers_under_autocast():
    for kind in (nn.LSTM, nn.GRU, nn.RNN):
        first, m = nn.Linear(3, 4).npu(), kind(4, 6, 2, bidirectional=True).npu()
        with torch.autocast("npu", dtype=torch.float16):
            assert m(npu(3, 2, 4))[0].dtype is torch.float32
            if not hasattr(torch, "get_autocast_dtype"):
                continue  # torch before 2.4 asks for CUDA's autocast, and refuses other types
            y, _ = m(first(npu(3, 2, 3)))
            packed = nn.utils.rnn.pack_sequence([first(npu(2, 3)), first(npu(1, 3))])
            assert m(packed)[0].data.dtype is torch.float16
            state = torch.zeros(4, 2, 6).npu()
            given = (state, state) if kind is nn.LSTM else state
            assert m(first(npu(3, 2, 3)), given)[0].dtype is torch.float16
        y.float().sum().backward()
        assert y.dtype is torch.float16
        assert all(p.grad.dtype is torch.float32 for p in m.parameters())


@case
def grad_scaler():
    p = nn.Parameter(torch.ones(2).npu())
    optimizer = torch.optim.SGD([p], lr=1.0)
    scaler = torch.npu.amp.GradScaler(init_scale=16.0, growth_interval=1)
    scaler.scale((p * float("inf")).sum()).backward()
    scaler.step(optimizer)
    scaler.update()
    assert p.tolist() == [1.0, 1.0] and scaler.get_scale() == 8.0
    optimizer.zero_grad()
    scaler.scale(p.sum()).backward()
    scaler.step(optimizer)
    scaler.update()
    assert p.tolist() == [0.0, 0.0] and scaler.get_scale() == 16.0
    assert scaler.state_dict()["dynamic"] is True
    other = {key: value for key, value in scaler.state_dict().items() if key != "dynamic"}
    raises(KeyError, "dynamic", scaler.load_state_dict, other)
    fixed = torch.npu.amp.GradScaler(4.0, 2.0, 0.5, 1, False)
    optimizer.zero_grad()
    fixed.scale((p * float("inf")).sum()).backward()
    fixed.step(optimizer)
    fixed.update()
    assert fixed.get_scale() == 4.0 and not torch.isfinite(p).any()
    fixed.load_state_dict(scaler.state_dict())
    assert fixed.get_scale() == 16.0


@case
def scales_are_computed_as_by_cuda():
    from ascendify_startup import torch_scale_kernels

    found, third = torch.zeros(1), torch.tensor([1 / 3])
    gradients = [torch.tensor([1.0, 7.0], dtype=dtype) for dtype in (torch.float32, torch.float16)]
    expected = [(one.float() * third).to(one.dtype) for one in gradients]
    torch_scale_kernels.unscale(gradients, found, third)
    for one, wanted in zip(gradients, expected):
        same(one, wanted)
    assert not found.item()
    torch_scale_kernels.unscale([torch.tensor([float("inf")])], found, third)
    assert found.item() == 1.0
    for value, tracked, grows_to in ((8.0, 0, 8.0), (8.0, 1, 16.0), (3e38, 1, 3e38)):
        scale, tracker = torch.tensor([value]), torch.tensor([tracked], dtype=torch.int32)
        torch_scale_kernels.update(scale, tracker, torch.zeros(1), 2.0, 0.5, 2)
        same(scale, torch.tensor([grows_to]))
        assert tracker.item() == 1 - tracked
        torch_scale_kernels.update(scale, tracker, found, 2.0, 0.5, 2)
        same(scale, torch.tensor([grows_to]) * 0.5)
        assert tracker.item() == 0


@case
def legacy_types():
    x = torch.npu.FloatTensor([1, 2])
    assert x.is_npu and x.dtype is torch.float32 and isinstance(x, torch.npu.FloatTensor)
    assert not isinstance(x, torch.npu.LongTensor) and torch.npu.LongTensor(2, 3).shape == (2, 3)
    assert not isinstance(torch.ones(1), torch.npu.FloatTensor)
    assert torch.ones(2).type(torch.npu.HalfTensor).dtype is torch.float16
    assert torch.ones(2).type("torch.npu.IntTensor").is_npu and x.type() == "torch.npu.FloatTensor"
    assert torch.ones(2).type() == "torch.FloatTensor" and x.type(torch.int64).is_npu
    assert torch.npu.FloatStorage(3).device.type == "npu"


@case
def options():
    raises(TypeError, "must be a dict", torch.npu.set_option, "x")
    raises(ValueError, "ACL_OP_DEBUG_LEVEL", torch.npu.set_option, {"ACL_OP_DEBUG_LEVEL": 9})
    torch.npu.set_option(
        {"ACL_OP_COMPILER_CACHE_MODE": "enable", "NPU_FUZZY_COMPILE_BLACKLIST": "x"}
    )
    torch.npu.set_compile_mode(jit_compile=True)
    assert not torch.npu.is_jit_compile_false()
    torch.npu.config.allow_internal_format = True
    raises(TypeError, "takes a bool", setattr, torch.npu.conv, "allow_hf32", 1)
    assert torch.npu.matmul.allow_hf32 is False and torch.npu.conv.allow_hf32 is True
    if hasattr(torch.npu, "set_deterministic_level"):  # from stack 26.0.0 on
        raises(ValueError, "expected 0, 1 or 2", torch.npu.set_deterministic_level, 5)
    raises(NotImplementedError, "torch.npu.stress_detect", torch.npu.stress_detect)
    raises(RuntimeError, "not supported on this model", torch.npu.get_npu_overflow_flag)
    assert torch.npu.utils.npu_check_overflow(torch.tensor([float("inf")]).npu())
    assert torch.npu.get_device_capability() is None and torch.npu.is_bf16_supported()
    os.environ["TORCH_NPU_DEVICE_CAPABILITY"] = "8.0"
    assert torch.npu.get_device_capability() == (8, 0)


@case
def ranges_snapshots_and_allocators():
    if hasattr(torch.npu.mstx, "annotate"):  # from stack 26.1.0 on
        with torch.npu.mstx.annotate("block"):
            assert torch.npu.mstx.mstx_range("calls")(lambda: 3)() == 3
    torch.npu.memory._record_memory_history(max_entries=10)
    raises(RuntimeError, "'some'", torch.npu.memory._record_memory_history, "some")
    with tempfile.TemporaryDirectory() as folder:
        torch.npu.memory._dump_snapshot(f"{folder}/memory.pickle")
        reported = pickle.loads(Path(folder, "memory.pickle").read_bytes())
    assert reported == torch.npu.memory._snapshot() and reported["segments"] == []
    raises(NotImplementedError, "allocator", torch.npu.NPUPluggableAllocator, "a.so", "a", "b")
    before = torch.npu.memory_allocated()
    address = torch.npu.caching_allocator_alloc(1024)
    assert torch.npu.memory_allocated() == before + 1024
    torch.npu.caching_allocator_delete(address)
    assert torch.npu.memory_allocated() == before
    raises(RuntimeError, "not allocated", torch.npu.caching_allocator_delete, address)
    torch.npu._sleep(1000)
    cache = torch.npu.backends.fft_plan_cache
    cache.max_size = 7
    cache.clear()
    assert cache[0].max_size == 7 and cache.size == 0
    torch.npu._sanitizer.enable_npu_sanitizer()
    assert torch.npu._get_device_index("cpu", allow_cpu=True) == -1


@case
def the_profiler_of_autograd_takes_the_times_of_the_host():
    with torch.autograd.profiler.profile(use_device="npu") as reported:
        npu(2, 2) @ npu(2, 2)
    matrices = [one for one in reported.key_averages() if one.key == "aten::mm"]
    assert matrices and matrices[0].cpu_time_total > 0, reported.key_averages()


LIBRARY = torch.library.Library("cases_of_ascendify", "DEF")
"""Kept, because torch's compiler stumbles over operators whose library has gone."""


@case
def operators_of_other_libraries():
    given = {
        # gelu is a name of torch's own operators too
        "plain": "CPU", "gelu": "CPU", "for_all": "CompositeExplicitAutograd", "own": "PrivateUse1",
    }  # fmt: skip
    for name, key in given.items():
        LIBRARY.define(f"{name}(Tensor x) -> Tensor")
        LIBRARY.impl(name, lambda x: x + (1 if x.is_cpu else 2), key)
        if key != "CPU":
            LIBRARY.impl(name, lambda x: x - 1, "CPU")
    for name, key in given.items():
        found = getattr(torch.ops.cases_of_ascendify, name)(torch.zeros(2).npu())
        same(found, torch.full((2,), 1.0 if key == "CPU" else 2.0))
        assert found.is_npu, name


@case
def threads_pin_memory_and_make_tensors():
    failures = []

    def work():
        try:
            for _ in range(3000):
                assert torch.zeros(1).pin_memory().is_pinned() and torch.zeros(1).npu().is_npu
                torch.npu.memory_allocated()
        except Exception as error:
            failures.append(error)

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sys.setswitchinterval(before)
    assert not failures, failures


@case
def operators_of_compiled_libraries():
    x, weight = torch.ones(2, 3).npu(), torch.ones(4, 3).npu()
    if not hasattr(torch.ops.mkldnn, "_linear_pointwise"):
        return  # builds for other processors have no oneDNN
    found = torch.ops.mkldnn._linear_pointwise(x, weight, None, "none", [], "")
    same(found, torch.full((2, 4), 3.0))
    assert found.is_npu


@case
def graphs_are_replayed():
    x, graph = torch.ones(2).npu(), torch.npu.NPUGraph()
    with torch.npu.graph(graph):
        assert torch.npu.is_current_stream_capturing()
        assert torch.npu.current_stream().is_capturing()
        y = (x * 2).view(1, 2) + 1
    assert not torch.npu.current_stream().is_capturing()
    x.fill_(5)
    graph.replay()
    assert y.tolist() == [[11.0, 11.0]]
    raises(RuntimeError, "without a finished capture", torch.npu.NPUGraph().replay)
    if hasattr(torch.npu.mstx, "range_push"):  # from stack 26.1.0 on
        assert torch.npu.mstx.range_push("a") == 0 and torch.npu.mstx.range_pop() == 0
    assert torch.npu.mstx.mstx_range("a")(len)([1]) == 1


@case
def optimizers_step():
    for name in ("SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "Adadelta", "Adamax", "NAdam",
                 "RAdam", "ASGD", "Rprop", "Adafactor"):  # fmt: skip
        if not hasattr(torch.optim, name):
            continue
        for options in ({}, {"foreach": True}):
            p = nn.Parameter(npu(2, 2))
            optimizer = getattr(torch.optim, name)([p], lr=0.1, **options)
            (p**2).sum().backward()
            optimizer.step()
            assert not torch.equal(p, npu(2, 2)), name


@case
def the_host_sees_bytes_without_their_graph():
    from torch_npu._device import alias

    layer = torch.nn.LSTM(4, 4).npu()
    computed, _ = layer(npu(3, 2, 4))
    assert computed.requires_grad
    assert not alias.host(computed.detach(), "argument input").requires_grad


@case
def recurrent_layers_and_attention():
    for kind in (nn.LSTM, nn.GRU, nn.RNN):
        m = kind(4, 6, 2, batch_first=True, bidirectional=True).npu()
        m(npu(2, 3, 4))[0].sum().backward()
        assert all(p.grad.is_npu for p in m.parameters())
    packed = nn.utils.rnn.pack_padded_sequence(npu(2, 3, 4), torch.tensor([3, 2]), batch_first=True)
    assert packed.batch_sizes.is_cpu and nn.LSTM(4, 6).npu()(packed)[0].data.is_npu
    m = nn.MultiheadAttention(16, 4, batch_first=True).npu()
    m(*[npu(2, 5, 16)] * 3)[0].sum().backward()


@case
def tracing_and_compiling():
    m, x = net().npu().eval(), torch.randn(1, 3, 8, 8).npu()
    same(torch.jit.trace(m, x)(x), m(x))
    same(torch.jit.script(m)(x), m(x))
    for backend in ("eager", "aot_eager"):
        compiled = torch.compile(nn.Linear(3, 3).npu(), backend=backend)
        compiled(npu(2, 3)).sum().backward()


@case
def subclasses_of_tensor():
    class Marked(torch.Tensor):
        pass

    x = npu(2).as_subclass(Marked)
    assert type(x + 1) is Marked and (x + 1).tolist() == [2.0, 3.0] and x.is_npu


def _in_child(queue):
    try:
        torch.ones(1).npu()
        queue.put("")
    except RuntimeError as error:
        queue.put(str(error))


@case
def a_forked_process_may_not_use_it():
    torch.npu.init()
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_in_child, args=(queue,))
    child.start()
    reported = queue.get(timeout=60)
    child.join()
    assert "Cannot re-initialize NPU in forked subprocess" in reported and "spawn" in reported, (
        reported
    )


if __name__ == "__main__":
    main()
