"""Training steps for emulation_torch.py: runs where PyTorch is and prints figures as JSON."""

import gc
import importlib
import json
import resource
import sys
import time
from pathlib import Path

import torch
import torch.nn.functional as F  # noqa: N812
from torch import nn


def perceptron():
    """Three layers, a step of half a millisecond."""
    return nn.Sequential(
        nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 10)
    )


class Transformer(nn.Module):
    """Two layers of width 64."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(100, 64)
        layer = nn.TransformerEncoderLayer(64, 4, 128, dropout=0.0, batch_first=True)
        self.layers = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(64, 10)

    def forward(self, x):
        """Compute scores."""
        return self.head(self.layers(self.embedding(x)).mean(1))


class Recurrent(nn.Module):
    """One LSTM over twenty steps."""

    def __init__(self):
        super().__init__()
        self.lstm, self.head = nn.LSTM(16, 32, batch_first=True), nn.Linear(32, 10)

    def forward(self, x):
        """Compute scores."""
        return self.head(self.lstm(x)[0][:, -1])


class Block(nn.Module):
    """Two convolutions and a way around them."""

    def __init__(self, inner, outer, stride):
        super().__init__()
        self.first_norm, self.second_norm = nn.BatchNorm2d(inner), nn.BatchNorm2d(outer)
        self.first = nn.Conv2d(inner, outer, 3, stride, 1, bias=False)
        self.second = nn.Conv2d(outer, outer, 3, 1, 1, bias=False)
        self.around = nn.Conv2d(inner, outer, 1, stride, bias=False) if inner != outer else None

    def forward(self, x):
        """Compute scores."""
        y = F.relu(self.first_norm(x))
        z = self.second(F.relu(self.second_norm(self.first(y))))
        return z + (x if self.around is None else self.around(y))


def wide_residual():
    """WideResNet-16-2."""
    widths = [16, 32, 64, 128]
    layers = [nn.Conv2d(3, 16, 3, 1, 1, bias=False)]
    for inner, outer, stride in zip(widths, widths[1:], (1, 2, 2)):
        layers += [Block(inner, outer, stride), Block(outer, outer, 1)]
    tail = [nn.BatchNorm2d(128), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten()]
    return nn.Sequential(*layers, *tail, nn.Linear(128, 10))


def sgd(parameters):
    """SGD with momentum."""
    return torch.optim.SGD(parameters, lr=0.01, momentum=0.9)


def adamw(parameters):
    """AdamW as torch makes it."""
    return torch.optim.AdamW(parameters, lr=1e-3)


CASES = {
    "wide residual network, 32 images of 32x32": (wide_residual, (32, 3, 32, 32), sgd, 1),
    "perceptron, SGD": (perceptron, (32, 64), sgd, 60),
    "perceptron, AdamW": (perceptron, (32, 64), adamw, 60),
    "transformer, AdamW": (Transformer, (16, 32), adamw, 8),
    "LSTM, AdamW": (Recurrent, (8, 20, 16), adamw, 30),
}


def stepper(model, shape, optimizer, device):
    """A function that takes one training step."""
    torch.manual_seed(0)
    batch = torch.randint(0, 100, shape) if model is Transformer else torch.randn(shape)
    net, batch = model().to(device), batch.to(device)
    optimizer = optimizer(net.parameters())
    labels = torch.zeros(shape[0], dtype=torch.long, device=device)

    def step():
        optimizer.zero_grad()
        loss = F.cross_entropy(net(batch), labels)
        loss.backward()
        optimizer.step()
        return loss.item()

    return step


def seconds(step, count):
    """Processor time of some steps: what others do on the machine does not count."""
    start = time.process_time()
    for _ in range(count):
        step()
    return time.process_time() - start


def serve():
    """Take steps on request: a line `case<TAB>device` is answered with the seconds they took.

    The first line printed says which path the emulation took, or why it cannot start.
    """
    try:
        importlib.import_module("torch_npu")
    except ImportError as error:
        return {"error": " ".join(str(error).split())}
    try:
        path = importlib.import_module("torch_npu._device.path").chosen
    except ImportError:
        path = "fast"
    print(json.dumps({"path": path}), flush=True)
    made = {}
    for line in sys.stdin:
        name, device = line.rstrip("\n").split("\t")
        model, shape, optimizer, count = CASES[name]
        if (name, device) not in made:
            made[name, device] = stepper(model, shape, optimizer, device)
        print(json.dumps({"seconds": seconds(made[name, device], count)}), flush=True)
    return {"path": path}


def import_time():
    """Processor time of importing torch_npu after torch."""
    start = time.process_time()
    importlib.import_module("torch_npu")

    return {"seconds": time.process_time() - start}


def growth():
    """MiB that the process grows in 10,000 steps, after it has warmed up."""
    importlib.import_module("torch_npu")

    step = stepper(perceptron, (32, 64), adamw, "npu")
    sizes = []
    for count in (1000, 10000):
        for _ in range(count):
            step()
        gc.collect()
        sizes.append(_resident())
    return {"MiB": sizes[1] - sizes[0]}


def _resident():
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


if __name__ == "__main__":
    torch.set_num_threads(1)
    measured = {"serve": serve, "import": import_time, "growth": growth}[sys.argv[1]]()
    print(json.dumps(measured))
