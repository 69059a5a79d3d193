"""Losses on the emulated NPU are those on the CPU, to the last bit.

Started with ASCENDIFY_SHARED_RANDOM=1, so that dropout draws the same numbers on both.
"""

import torch
import torch.nn.functional as F  # noqa: N812
from torch import nn
from torch.utils.checkpoint import checkpoint
from torch_harness import case, main, make_scaler

torch.set_num_threads(1)


def mlp():
    return nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Dropout(0.2), nn.Linear(16, 4))


def conv():
    return nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2),
        nn.Dropout2d(0.2), nn.Conv2d(8, 8, 3, groups=2), nn.GroupNorm(2, 8), nn.GELU(),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 4),
    )  # fmt: skip


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(5, 8, 2, dropout=0.2, batch_first=True)
        self.head = nn.Linear(8, 4)

    def forward(self, x):
        return self.head(self.lstm(x)[0][:, -1])


class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(11, 16)
        layer = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.1, batch_first=True)
        self.layers = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(16, 4)

    def forward(self, x):
        return self.head(self.layers(self.embedding(x)).mean(1))


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Linear(6, 6), nn.Linear(6, 6)
        self.last.weight = self.first.weight

    def forward(self, x):
        return self.last(torch.tanh(self.first(x)))[:, :4]


class Checkpointed(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner, self.head = mlp(), nn.Linear(4, 4)

    def forward(self, x):
        return self.head(checkpoint(self.inner, x, use_reentrant=False))


INPUTS = {
    mlp: (8, 6), conv: (4, 3, 8, 8), Recurrent: (4, 5, 5), Tied: (8, 6), Checkpointed: (8, 6)
}  # fmt: skip
OPTIMIZERS = {
    "sgd": lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, weight_decay=1e-4, nesterov=True),
    "adamw": lambda p: torch.optim.AdamW(p, lr=1e-2),
    "foreach": lambda p: torch.optim.AdamW(p, lr=1e-2, foreach=True),
}


def losses(device, model, optimizer, before_the_move=False, amp=None, steps=6):
    torch.manual_seed(1)
    if model is Transformer:
        batches = [torch.randint(0, 11, (4, 7)) for _ in range(steps)]
    else:
        batches = [torch.randn(INPUTS[model]) for _ in range(steps)]
    net = model()
    if before_the_move:
        step = OPTIMIZERS[optimizer](net.parameters())
        net.to(device)
    else:
        step = OPTIMIZERS[optimizer](net.to(device).parameters())
    scaler = make_scaler(device, enabled=amp is torch.float16, init_scale=2.0**8)
    found = []
    for batch in batches:
        step.zero_grad()
        labels = torch.arange(batch.shape[0]).remainder(4).to(device)
        with torch.autocast(device, dtype=amp or torch.bfloat16, enabled=amp is not None):
            loss = F.cross_entropy(net(batch.to(device)), labels)
        scaler.scale(loss).backward()
        scaler.unscale_(step)
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        scaler.step(step)
        scaler.update()
        found.append(loss.item())
    assert found[0] != found[-1]
    return found


def close(tolerance, *arguments, **options):
    here, there = (losses(device, *arguments, **options) for device in ("cpu", "npu"))
    assert all(abs(one - other) <= tolerance for one, other in zip(here, there)), (here, there)


def equal(*arguments, **options):
    here, there = (losses(device, *arguments, **options) for device in ("cpu", "npu"))
    assert here == there, f"{arguments}: {here} {there}"


@case
def perceptron():
    for optimizer in OPTIMIZERS:
        equal(mlp, optimizer)


@case
def convolutional_network_with_normalisation_and_dropout():
    for optimizer in OPTIMIZERS:
        equal(conv, optimizer)


@case
def recurrent_network():
    for optimizer in OPTIMIZERS:
        equal(Recurrent, optimizer)


@case
def dropout_of_memory_in_another_order():
    # releases and builds differ in whether they draw in the order of indices or of memory
    def dropped(device, change):
        torch.manual_seed(3)
        x = torch.arange(1.0, 121.0).view(3, 4, 2, 5).to(device).requires_grad_()
        y = F.dropout(change(x), 0.4)
        y.sum().backward()
        return y.detach(), x.grad

    for change in (
        lambda x: x.transpose(0, 1),
        lambda x: x.to(memory_format=torch.channels_last),
        lambda x: x[:, ::2],
        lambda x: x[:, :1].expand(3, 4, 2, 5),
    ):
        here, there = dropped("cpu", change), dropped("npu", change)
        for one, other in zip(here, there):
            assert torch.equal(one, other.cpu()), (one, other)
            assert one.stride() == other.stride(), (one.stride(), other.stride())


@case
def transformer():
    for optimizer in OPTIMIZERS:
        equal(Transformer, optimizer)


@case
def tied_weights():
    equal(Tied, "adamw")


@case
def gradient_checkpointing():
    equal(Checkpointed, "adamw")


@case
def optimizer_made_before_the_move():
    equal(mlp, "adamw", before_the_move=True)


@case
def half_precision():
    if not hasattr(torch.amp, "GradScaler"):
        return  # torch before 2.3 has no float16 on a cpu to compare with
    # the cpu and the npu cast other operators, so that only the digits of float16 are the same
    close(2e-3, mlp, "sgd", amp=torch.float16)


@case
def brain_float():
    close(2e-2, mlp, "adamw", amp=torch.bfloat16)


if __name__ == "__main__":
    main()
