"""What a program written for two GPUs trains with: layers, mixed precision, optimizers, loaders."""

import contextlib
import copy

import torch
from gpu_cases import MissingError, case, main, needs, refused
from torch import nn
from torch.nn import functional
from torch.utils import checkpoint, data

try:
    from torch.amp import GradScaler
except ImportError:

    def GradScaler(device, **options):  # noqa: N802 (the name of a class)
        return torch.cuda.amp.GradScaler(**options)


def on_gpu(*shape):
    return torch.linspace(-1, 1, int(torch.tensor(shape).prod())).reshape(shape).cuda()


def trained(module, *inputs):
    """Go forward and back; return the output, and have seen gradients on the GPU."""
    output = module(*inputs)
    first = output[0] if isinstance(output, tuple) else output
    first = first.data if isinstance(first, nn.utils.rnn.PackedSequence) else first
    assert first.is_cuda
    first.sum().backward()
    assert all(one.grad is None or one.grad.is_cuda for one in module.parameters())
    return output


def recurrent(make):
    for options in (
        {},
        {"num_layers": 2, "dropout": 0.5},
        {"bidirectional": True, "batch_first": True},
        {"bias": False},
    ):
        torch.manual_seed(1)
        module = make(3, 4, **options)
        same = copy.deepcopy(module).eval()
        module = module.cuda()
        module.flatten_parameters()
        trained(module, on_gpu(5, 2, 3))
        found = module.eval()(on_gpu(5, 2, 3))[0]
        assert torch.equal(found.cpu(), same(on_gpu(5, 2, 3).cpu())[0])
        packed = (
            nn.utils.rnn.pack_padded_sequence(
                on_gpu(5, 2, 3),
                [4, 2],
                batch_first=options.get("batch_first", False),
                enforce_sorted=False,
            )
            if not options.get("batch_first")
            else nn.utils.rnn.pack_padded_sequence(on_gpu(2, 5, 3), [4, 2], batch_first=True)
        )
        output, _ = trained(module, packed)
        padded, _ = nn.utils.rnn.pad_packed_sequence(output)
        assert padded.is_cuda and packed.is_cuda


@case
def lstms_train():
    recurrent(nn.LSTM)
    trained(nn.LSTM(3, 4, proj_size=2).cuda(), on_gpu(5, 2, 3))


@case
def grus_train():
    recurrent(nn.GRU)


@case
def simple_rnns_train():
    recurrent(nn.RNN)
    trained(nn.RNN(3, 4, nonlinearity="relu").cuda(), on_gpu(5, 2, 3))


@case
def cells_train():
    for make in (nn.LSTMCell, nn.GRUCell, nn.RNNCell):
        trained(make(3, 4).cuda(), on_gpu(2, 3))


@case
def rnns_train_in_half_precision():
    module = nn.LSTM(3, 4).cuda().half()
    assert module(on_gpu(5, 2, 3).half())[0].dtype == torch.float16
    with torch.autocast("cuda"):
        trained(nn.LSTM(3, 4).cuda(), on_gpu(5, 2, 3))


@case
def every_attention_backend_can_be_chosen_by_switch():
    query = on_gpu(2, 2, 4, 8)
    expected = functional.scaled_dot_product_attention(query, query, query)
    for flash, efficient, math in ((1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1)):
        with torch.backends.cuda.sdp_kernel(
            enable_flash=bool(flash), enable_mem_efficient=bool(efficient), enable_math=bool(math)
        ):
            found = functional.scaled_dot_product_attention(query, query, query)
            assert torch.backends.cuda.math_sdp_enabled() is bool(math)
        assert found.is_cuda and torch.allclose(found, expected, atol=1e-6)


@case
def every_attention_backend_can_be_chosen_by_name():
    attention = needs(nn, "attention")
    query = on_gpu(2, 2, 4, 8).requires_grad_()
    expected = functional.scaled_dot_product_attention(query, query, query, is_causal=True)
    for name in ("FLASH_ATTENTION", "EFFICIENT_ATTENTION", "MATH", "CUDNN_ATTENTION"):
        if hasattr(attention.SDPBackend, name):
            with attention.sdpa_kernel(getattr(attention.SDPBackend, name)):
                found = functional.scaled_dot_product_attention(query, query, query, is_causal=True)
            assert torch.allclose(found, expected, atol=1e-6)
            found.sum().backward()


@case
def transformers_train():
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True).cuda()
    trained(layer, on_gpu(2, 4, 8))
    with torch.no_grad():
        assert layer.eval()(on_gpu(2, 4, 8)).is_cuda
    trained(nn.MultiheadAttention(8, 2).cuda(), *[on_gpu(4, 2, 8)] * 3)


@case
def convolutions_and_norms_train():
    module = nn.Sequential(
        nn.Conv2d(1, 4, 3),
        nn.BatchNorm2d(4),
        nn.ReLU(inplace=True),
        nn.MaxPool2d(2),
        nn.GroupNorm(2, 4),
        nn.ConvTranspose2d(4, 2, 2),
        nn.Upsample(scale_factor=2, mode="bilinear"),
        nn.Dropout(0.5),
        nn.Flatten(),
        nn.LazyLinear(3),
    ).cuda()
    trained(module, on_gpu(2, 1, 8, 8))
    channels_last = on_gpu(2, 1, 8, 8).to(memory_format=torch.channels_last)
    trained(module.to(memory_format=torch.channels_last), channels_last)


@case
def losses_are_on_the_gpu():
    scores, target = on_gpu(4, 3).requires_grad_(), torch.tensor([0, 1, 2, 0], device="cuda")
    for loss in (
        nn.CrossEntropyLoss(weight=torch.ones(3), label_smoothing=0.1).cuda()(scores, target),
        functional.nll_loss(scores.log_softmax(-1), target),
        nn.MSELoss()(scores, torch.zeros_like(scores)),
        nn.BCEWithLogitsLoss(pos_weight=torch.ones(3).cuda())(scores, torch.ones_like(scores)),
        functional.ctc_loss(
            on_gpu(5, 2, 3).log_softmax(-1), target[1:3].reshape(2, 1), [5, 5], [1, 1]
        ),
    ):
        assert loss.is_cuda and loss.dim() == 0


@case
def autocast_follows_the_lists_of_a_gpu():
    y = on_gpu(4, 3)
    with torch.autocast("cuda"):
        product = y @ y.T
        assert product.dtype == torch.float16 and torch.is_autocast_enabled()
        assert product.softmax(-1).dtype == torch.float32 == product.sum().dtype
        assert functional.layer_norm(product, (4,)).dtype == torch.float32
        assert product.relu().dtype == torch.float16
        target = torch.tensor([0, 1, 2, 3], device="cuda")
        assert functional.cross_entropy(product, target).dtype == torch.float32
        assert torch.get_autocast_gpu_dtype() == torch.float16
        assert not torch.is_autocast_cpu_enabled()
        with torch.autocast("cuda", enabled=False):
            assert (y @ y.T).dtype == torch.float32 and not torch.is_autocast_enabled()
        assert (y @ y.T).dtype == torch.float16
    for bfloat16 in (
        torch.cuda.amp.autocast(dtype=torch.bfloat16),
        torch.autocast("cuda", dtype=torch.bfloat16),
        torch.autocast(device_type=y.device.type, dtype=torch.bfloat16),
    ):
        with bfloat16:
            assert (y @ y.T).dtype == torch.bfloat16
    assert (y @ y.T).dtype == torch.float32 and not torch.is_autocast_enabled()


@case
def autocast_state_by_device():
    get = needs(torch, "get_autocast_dtype")
    with torch.autocast("cuda"):
        assert torch.is_autocast_enabled("cuda") and not torch.is_autocast_enabled("cpu")
        assert get("cuda") == torch.float16
    with torch.autocast("cpu"):
        assert torch.is_autocast_enabled("cpu") and not torch.is_autocast_enabled("cuda")
        assert not torch.is_autocast_enabled()
    assert needs(torch, "amp", "is_autocast_available")("cuda")


@case
def functions_of_ones_own_are_cast():
    amp = torch.cuda.amp

    class Double(torch.autograd.Function):
        @staticmethod
        @amp.custom_fwd(cast_inputs=torch.float32)
        def forward(ctx, x):
            assert x.dtype == torch.float32 and not torch.is_autocast_enabled()
            return 2 * x

        @staticmethod
        @amp.custom_bwd
        def backward(ctx, gradient):
            return 2 * gradient

    x = on_gpu(3).half().requires_grad_()
    with amp.autocast():
        Double.apply(x).sum().backward()
    assert x.grad.tolist() == [2.0] * 3


@case
def scaled_losses_train():
    for make in (
        lambda: GradScaler("cuda", init_scale=4.0),
        lambda: torch.cuda.amp.GradScaler(init_scale=4.0),
    ):
        module = nn.Linear(3, 1).cuda()
        optimizer = torch.optim.SGD(module.parameters(), lr=0.1)
        scaler = make()
        assert scaler.is_enabled()
        with torch.autocast("cuda"):
            loss = module(on_gpu(4, 3)).square().mean()
        scaled = scaler.scale(loss)
        assert scaled.is_cuda and scaled.item() == 4 * loss.item()
        scaled.backward()
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(module.parameters(), 1.0)
        before = module.weight.detach().clone()
        scaler.step(optimizer)
        scaler.update()
        assert not torch.equal(before, module.weight)
        module.weight.grad.fill_(float("inf"))
        before = module.weight.detach().clone()
        scaler.step(optimizer)
        scaler.update()
        assert torch.equal(before, module.weight) and scaler.get_scale() == 2.0
        scaler.load_state_dict(scaler.state_dict())


@case
def half_precision_trains_without_autocast():
    for dtype in (torch.float16, torch.bfloat16):
        module = nn.Sequential(nn.Linear(3, 4), nn.GELU(), nn.LayerNorm(4), nn.Linear(4, 2))
        module = module.cuda().to(dtype)
        scores = module(on_gpu(4, 3).to(dtype))
        assert scores.dtype == dtype
        functional.cross_entropy(scores, torch.tensor([0, 1, 0, 1]).cuda()).backward()
        assert module[0].weight.grad.dtype == dtype


@case
def fused_optimizers_step_like_plain_ones():
    def stepped(make, **options):
        torch.manual_seed(1)
        module = nn.Linear(3, 2).cuda()
        optimizer = make(module.parameters(), lr=0.1, weight_decay=0.01, **options)
        for _ in range(3):
            optimizer.zero_grad()
            module(on_gpu(4, 3)).square().sum().backward()
            optimizer.step()
        return module.weight.detach().cpu()

    for make in (torch.optim.Adam, torch.optim.AdamW):
        plain = stepped(make, foreach=False)
        for options in ({"fused": True}, {"foreach": True}, {"capturable": True}, {}):
            assert torch.allclose(stepped(make, **options), plain, atol=1e-5), options
    stepped(torch.optim.SGD, momentum=0.9)
    stepped(torch.optim.RMSprop)


@case
def fused_optimizers_leave_out_infinite_gradients():
    module = nn.Linear(3, 1).cuda()
    optimizer = torch.optim.AdamW(module.parameters(), lr=0.1, fused=True)
    scaler = GradScaler("cuda", init_scale=4.0)
    before = module.weight.detach().clone()
    for factor in (float("inf"), 1.0):
        optimizer.zero_grad()
        scaler.scale(module(factor * on_gpu(4, 3)).square().mean()).backward()
        scaler.step(optimizer)
        scaler.update()
        assert torch.equal(before, module.weight) is (factor != 1.0)
    assert scaler.get_scale() == 2.0


@case
def functions_with_a_backward_of_their_own_stay_on_the_gpu():
    seen = []

    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, gradient):
            (x,) = ctx.saved_tensors
            seen.extend([gradient.is_cuda, x.is_cuda])
            return 2 * x * gradient

    x = on_gpu(3).requires_grad_()
    squared = Square.apply(x * 1)
    assert squared.is_cuda
    squared.sum().backward()
    assert seen == [True, True] and x.grad.is_cuda


@case
def hooks_get_what_is_on_the_gpu():
    seen = []
    module = nn.Linear(3, 2).cuda()
    module.register_forward_hook(lambda _, inputs, output: seen.append(output.is_cuda))
    module.register_full_backward_hook(lambda _, inputs, outputs: seen.append(outputs[0].is_cuda))
    module.weight.register_hook(lambda gradient: seen.append(gradient.is_cuda))
    output = module(on_gpu(4, 3))
    output.register_hook(lambda gradient: seen.append(gradient.is_cuda))
    output.sum().backward()
    assert seen == [True] * 4
    x = on_gpu(3).requires_grad_()
    assert torch.autograd.grad((x * x).sum(), x)[0].is_cuda


@case
def checkpoints_compute_the_same():
    module = nn.Sequential(nn.Linear(3, 8), nn.Dropout(0.5), nn.Linear(8, 1)).cuda()

    def gradient(run):
        torch.manual_seed(3)
        module.zero_grad()
        x = on_gpu(4, 3).requires_grad_()
        run(x).float().sum().backward()
        return module[0].weight.grad.cpu()

    def checkpointed(reentrant):
        return lambda x: checkpoint.checkpoint(module, x, use_reentrant=reentrant)

    expected = gradient(module)
    for reentrant in (True, False):
        found = gradient(checkpointed(reentrant))
        assert torch.equal(found, expected)
    with torch.autocast("cuda"):
        expected = gradient(module)
    for reentrant in (True, False):
        with torch.autocast("cuda"):
            found = gradient(checkpointed(reentrant))
        assert torch.equal(found, expected)


@case
def activations_are_kept_on_the_cpu():
    module = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1)).cuda()
    with torch.autograd.graph.save_on_cpu(pin_memory=True):
        output = module(on_gpu(4, 3))
    output.sum().backward()
    assert module[0].weight.grad.is_cuda


@case
def loaders_pin_memory():
    samples = data.TensorDataset(torch.arange(8.0), torch.arange(8))
    for workers in (0, 2):
        loader = data.DataLoader(samples, 4, pin_memory=True, num_workers=workers)
        assert loader.pin_memory
        batches = list(loader)
        assert [one.is_pinned() for batch in batches for one in batch] == [True] * 4
        moved = [one.cuda(non_blocking=True) for one in batches[1]]
        assert moved[1].tolist() == [4, 5, 6, 7]


@case
def profilers_leave_the_gpu_out():
    from torch.profiler import ProfilerActivity, profile, schedule

    assert ProfilerActivity.CUDA in torch.profiler.supported_activities()
    with profile(
        activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA],
        schedule=schedule(wait=0, warmup=1, active=1, repeat=1),
        record_shapes=True,
        profile_memory=True,
    ) as profiled:
        for _ in range(2):
            on_gpu(4, 3).sum()
            profiled.step()
    assert "aten::sum" in profiled.key_averages().table(sort_by="cpu_time_total")
    with profile(activities=[ProfilerActivity.CUDA]):
        on_gpu(3).sum()


@case
def the_old_profiler_leaves_the_gpu_out():
    for options in ({"use_cuda": True}, {"use_device": "cuda"}):
        with contextlib.suppress(TypeError), torch.autograd.profiler.profile(**options) as seen:
            on_gpu(3).sum()
    assert "aten::sum" in seen.key_averages().table()


@case
def data_parallel_has_one_replica():
    module = nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3)).cuda()
    parallel = nn.DataParallel(module, device_ids=[0, 1])
    parallel(on_gpu(4, 3)).sum().backward()
    assert parallel.module is module and module[0].weight.grad.is_cuda


@case
def models_are_traced_and_scripted():
    module = nn.Sequential(nn.Linear(3, 4), nn.ReLU()).cuda()
    for compiled in (torch.jit.script(module), torch.jit.trace(module, on_gpu(2, 3))):
        found = compiled(on_gpu(2, 3))
        assert torch.equal(found.cpu(), module(on_gpu(2, 3)).cpu()) and found.is_cuda


@case
def functional_transforms_stay_on_the_gpu():
    func = needs(torch, "func")
    x = on_gpu(3)
    assert func.grad(lambda one: (one * one).sum())(x).is_cuda
    assert torch.vmap(lambda one: one * 2)(on_gpu(2, 3)).is_cuda


@case
def flexible_attention_runs():
    attention = needs(nn, "attention")
    try:
        from torch.nn.attention import flex_attention
    except ImportError as error:
        raise MissingError("this release has no torch.nn.attention.flex_attention") from error
    assert attention
    query = on_gpu(1, 2, 128, 16)
    mask = flex_attention.create_block_mask(
        lambda batch, head, row, column: row >= column, 1, 1, 128, 128, device="cuda"
    )
    assert flex_attention.flex_attention(query, query, query, block_mask=mask).is_cuda


@case
def private_kernels_of_a_gpu_are_refused():
    query = on_gpu(1, 2, 4, 8).half()
    refused(
        torch.ops.aten._scaled_dot_product_efficient_attention, query, query, query, None, False
    )


main()
