"""The fused optimizers: the steps of torch.optim, or of the papers, and what they refuse."""

import copy
import io
import math
import warnings

import torch
import torch.nn.functional as F  # noqa: N812
from torch_harness import case, close, main, raises, same
from torch_npu import optim

STOCK = {
    "sgd": (optim.NpuFusedSGD, torch.optim.SGD, {"lr": 0.1}),
    "sgd momentum": (
        optim.NpuFusedSGD,
        torch.optim.SGD,
        {"lr": 0.1, "momentum": 0.9, "dampening": 0.1, "weight_decay": 0.01},
    ),
    "sgd nesterov": (
        optim.NpuFusedSGD,
        torch.optim.SGD,
        {"lr": 0.1, "momentum": 0.9, "nesterov": True},
    ),
    "adam": (optim.NpuFusedAdam, torch.optim.Adam, {"lr": 0.01, "weight_decay": 0.1}),
    "adam amsgrad": (optim.NpuFusedAdam, torch.optim.Adam, {"amsgrad": True}),
    "adamw": (optim.NpuFusedAdamW, torch.optim.AdamW, {"lr": 0.01}),
    "adamw amsgrad": (optim.NpuFusedAdamW, torch.optim.AdamW, {"amsgrad": True}),
    "adadelta": (optim.NpuFusedAdadelta, torch.optim.Adadelta, {"weight_decay": 0.1}),
    "rmsprop": (optim.NpuFusedRMSprop, torch.optim.RMSprop, {}),
    "rmsprop all": (
        optim.NpuFusedRMSprop,
        torch.optim.RMSprop,
        {"momentum": 0.9, "centered": True, "weight_decay": 0.01},
    ),
}


def network():
    torch.manual_seed(0)
    return torch.nn.Sequential(
        torch.nn.Linear(5, 7), torch.nn.LayerNorm(7), torch.nn.Tanh(), torch.nn.Linear(7, 3)
    )


def train(model, optimizer, device, steps=4, seed=1):
    generator = torch.Generator().manual_seed(seed)
    losses = []
    for _ in range(steps):
        x = torch.randn(6, 5, generator=generator).to(device)
        y = torch.randint(0, 3, (6,), generator=generator).to(device)
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


@case
def steps_are_those_of_torch_to_the_last_bit():
    for name, (fused, stock, settings) in STOCK.items():
        ours, theirs = network().npu(), network()
        found = train(ours, fused(ours.parameters(), **settings), "npu")
        expected = train(theirs, stock(theirs.parameters(), **settings), "cpu")
        assert found == expected, (name, found, expected)
        for one, other in zip(ours.parameters(), theirs.parameters()):
            same(one, other)


@case
def groups_keep_their_own_settings():
    ours, theirs = network().npu(), network()

    def groups(model):
        return [{"params": model[0].parameters()}, {"params": model[3].parameters(), "lr": 0.5}]

    found = train(ours, optim.NpuFusedAdamW(groups(ours), lr=0.01), "npu")
    assert found == train(theirs, torch.optim.AdamW(groups(theirs), lr=0.01), "cpu")


@case
def state_survives_saving():
    for name, (fused, _, settings) in STOCK.items():
        model = network().npu()
        optimizer = fused(model.parameters(), **settings)
        train(model, optimizer, "npu")
        buffer = io.BytesIO()
        torch.save((model.state_dict(), optimizer.state_dict()), buffer)
        buffer.seek(0)
        weights, state = torch.load(buffer)
        expected = train(model, optimizer, "npu", seed=2)
        other = network().npu()
        other.load_state_dict(weights)
        resumed = fused(other.parameters(), **settings)
        resumed.load_state_dict(state)
        assert train(other, resumed, "npu", seed=2) == expected, name


@case
def state_of_torch_can_be_continued():
    theirs = network()
    stock = torch.optim.Adam(theirs.parameters(), lr=0.01)
    train(theirs, stock, "cpu")
    ours = network()
    ours.load_state_dict(theirs.state_dict())
    ours.npu()
    fused = optim.NpuFusedAdam(ours.parameters(), lr=0.01)
    fused.load_state_dict(copy.deepcopy(stock.state_dict()))
    found = train(ours, fused, "npu", seed=2)
    assert found == train(theirs, stock, "cpu", seed=2)


@case
def half_precision():
    weight = torch.nn.Parameter(torch.ones(4, dtype=torch.float16).npu())
    optimizer = optim.NpuFusedSGD([weight], lr=0.5)
    (weight * 2).sum().backward()
    optimizer.step()
    same(weight, torch.zeros(4, dtype=torch.float16))
    assert optimizer.get_combined_params()[0] is None
    assert optimizer.get_combined_params()[1].dtype == torch.float16


@case
def gradients_are_never_taken_away():
    model = network().npu()
    optimizer = optim.NpuFusedAdam(model.parameters())
    raises(ValueError, "set_to_none is not supported", optimizer.zero_grad, set_to_none=True)
    model(torch.ones(1, 5).npu()).sum().backward()
    optimizer.zero_grad()
    assert all(not parameter.grad.any() for parameter in model.parameters())
    assert optimizer.is_fused_optimizer


@case
def other_dtypes_are_refused():
    weight = torch.nn.Parameter(torch.ones(4, dtype=torch.bfloat16).npu())
    optimizer = optim.NpuFusedAdamW([weight])
    weight.sum().backward()
    raises(TypeError, "float32 or float16, but received torch.bfloat16", optimizer.step)


@case
def parameters_on_the_cpu_are_refused():
    weight = torch.nn.Parameter(torch.ones(4))
    optimizer = optim.NpuFusedAdamW([weight])
    weight.sum().backward()
    raises(RuntimeError, "must be on NPU, got cpu", optimizer.step)


@case
def switches_of_torch_are_unknown():
    weight = [torch.nn.Parameter(torch.ones(1).npu())]
    raises(TypeError, "foreach", optim.NpuFusedAdam, weight, foreach=True)
    raises(ValueError, "Invalid learning rate", optim.NpuFusedAdam, weight, lr=-1)
    raises(
        ValueError, "Invalid beta parameter at index 1", optim.NpuFusedAdam, weight, betas=(0, 1)
    )
    raises(ValueError, "Nesterov momentum", optim.NpuFusedSGD, weight, lr=1, nesterov=True)
    raises(ValueError, "warmup_linear", optim.NpuFusedBertAdam, weight, lr=1, schedule="none")


@case
def the_first_step_fixes_the_parameters():
    first, second = (torch.nn.Parameter(torch.ones(2).npu()) for _ in range(2))
    optimizer = optim.NpuFusedSGD([first, second], lr=0.5)
    first.sum().backward()
    optimizer.step()
    second.sum().backward()
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        optimizer.step()
    assert "does not see them" in str(said[-1].message)
    same(second, torch.ones(2))
    optimizer.add_param_group({"params": [torch.nn.Parameter(torch.ones(2).npu())]})
    raises(IndexError, "added after the first step", optimizer.step)


@case
def gradients_that_the_model_clears_are_lost():
    model = network().npu()
    optimizer = optim.NpuFusedSGD(model.parameters(), lr=0.1)
    train(model, optimizer, "npu", steps=1)
    before = [parameter.detach().clone() for parameter in model.parameters()]
    optimizer.zero_grad()
    model.zero_grad()
    model(torch.ones(1, 5).npu()).sum().backward()
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        optimizer.step()
    assert "optimizer.zero_grad()" in str(said[-1].message)
    for one, other in zip(model.parameters(), before):
        same(one, other)


@case
def clipping():
    for norm_type in (2, 1, math.inf):
        ours, theirs = network().npu(), network()
        optimizer = optim.NpuFusedSGD(ours.parameters(), lr=0.1)
        for model, device in ((ours, "npu"), (theirs, "cpu")):
            (model(torch.ones(2, 5).to(device)) * 100).pow(2).sum().backward()
        found = optimizer.clip_grad_norm_fused_(1.0, norm_type)
        expected = torch.nn.utils.clip_grad_norm_(theirs.parameters(), 1.0, norm_type)
        close(found / expected.item(), 1.0)
        for one, other in zip(ours.parameters(), theirs.parameters()):
            close(one.grad, other.grad, 1e-6)


def one_parameter(kind, value, gradients, **settings):
    weight = torch.nn.Parameter(value.clone().npu())
    optimizer = kind([weight], **settings)
    for gradient in gradients:
        if weight.grad is None:
            weight.grad = torch.zeros_like(weight)
        weight.grad.copy_(gradient)
        optimizer.step()
    return weight.detach().cpu()


VALUE, GRADIENTS = (
    torch.tensor([[1.0, -2.0], [0.5, 3.0]]),
    [
        torch.tensor([[0.1, 0.2], [-0.3, 0.4]]),
        torch.tensor([[0.3, -0.1], [0.2, 0.1]]),
    ],
)


@case
def lamb():
    weight, m, v = VALUE.double(), torch.zeros(2, 2).double(), torch.zeros(2, 2).double()
    for gradient in GRADIENTS:
        m = 0.9 * m + 0.1 * gradient
        v = 0.999 * v + 0.001 * gradient**2
        step = m / (v.sqrt() + 1e-6) + 0.01 * weight
        weight = weight - 0.1 * weight.norm().clamp(0, 10) / step.norm() * step
    found = one_parameter(optim.NpuFusedLamb, VALUE, GRADIENTS, lr=0.1, weight_decay=0.01)
    close(found, weight, 1e-5)


@case
def rmsprop_of_tensorflow():
    weight, square, buffer = VALUE.double(), torch.ones(2, 2).double(), torch.zeros(2, 2).double()
    for gradient in GRADIENTS:
        square = 0.9 * square + 0.1 * gradient**2
        buffer = 0.5 * buffer + 0.1 * gradient / (square + 1e-10).sqrt()
        weight = weight - buffer
    found = one_parameter(optim.NpuFusedRMSpropTF, VALUE, GRADIENTS, lr=0.1, momentum=0.5)
    close(found, weight, 1e-6)


@case
def adam_of_bert():
    weight, m, v = VALUE.double(), torch.zeros(2, 2).double(), torch.zeros(2, 2).double()
    for at, gradient in enumerate(GRADIENTS):
        clipped = gradient.double() * min(1.0, 0.2 / gradient.norm().item())
        m = 0.9 * m + 0.1 * clipped
        v = 0.999 * v + 0.001 * clipped**2
        rate = 0.1 * (at / 10 / 0.5)
        weight = weight - rate * (m / (v.sqrt() + 1e-6) + 0.01 * weight)
    found = one_parameter(
        optim.NpuFusedBertAdam, VALUE, GRADIENTS, lr=0.1, warmup=0.5, t_total=10, max_grad_norm=0.2
    )
    close(found, weight, 1e-5)


@case
def adamp_without_projection_is_adam_and_with_it_keeps_the_length():
    found = one_parameter(optim.NpuFusedAdamP, VALUE, GRADIENTS, lr=0.1, delta=0.0)
    plain = one_parameter(optim.NpuFusedAdam, VALUE, GRADIENTS, lr=0.1)
    close(found, plain, 1e-6)
    across = [torch.tensor([[2.0, 1.0], [3.0, -0.5]])]  # at a right angle to every row
    step = one_parameter(optim.NpuFusedAdamP, VALUE, across, lr=0.1, delta=2.0) - VALUE
    close((step * VALUE).sum(1), torch.zeros(2), 1e-5)
    assert step.norm() > 0.01


@case
def a_closure_runs_without_recording_gradients():
    model = network().npu()
    optimizer = optim.NpuFusedSGD(model.parameters(), lr=0.1)
    inputs = torch.ones(2, 5).npu()
    raises(
        RuntimeError,
        "does not require grad",
        lambda: optimizer.step(lambda: model(inputs).sum().backward()),
    )


@case
def gradients_that_are_clipped_by_torch_are_those_of_the_optimizer():
    model, theirs = network().npu(), network()
    optimizer = optim.NpuFusedAdam(model.parameters(), lr=0.01)
    stock = torch.optim.Adam(theirs.parameters(), lr=0.01)
    for at in range(3):
        x = torch.full((2, 5), 0.5 * at)
        for net, each, batch in ((model, optimizer, x.npu()), (theirs, stock, x)):
            each.zero_grad()
            net(batch).pow(2).sum().backward()
            torch.nn.utils.clip_grad_norm_(net.parameters(), 0.1)
            each.step()
    for one, other in zip(model.parameters(), theirs.parameters()):
        close(one.detach(), other.detach(), 1e-6)


@case
def gradients_are_scaled_with_the_optimizer():
    model = network().npu()
    optimizer = optim.NpuFusedSGD(model.parameters(), lr=0.1)
    scaler = torch.npu.amp.GradScaler(init_scale=1024.0)
    theirs = network()
    stock = torch.optim.SGD(theirs.parameters(), lr=0.1)
    for at in range(3):
        x = torch.full((2, 5), 0.1 * at)
        optimizer.zero_grad()
        scaler.scale(model(x.npu()).pow(2).sum()).backward()
        scaler.step(optimizer)
        scaler.update()
        stock.zero_grad()
        theirs(x).pow(2).sum().backward()
        stock.step()
    for one, other in zip(model.parameters(), theirs.parameters()):
        close(one.detach(), other.detach(), 1e-6)


if __name__ == "__main__":
    main()
