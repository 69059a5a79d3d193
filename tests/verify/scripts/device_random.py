"""Random numbers of a device, drawn on the CPU: every way to draw gives what the CPU gives.

The device is the first argument: ``cuda`` for a real GPU, or ``npu`` for the emulated one, whose
own stream is another than the CPU's, so that it shows here what a GPU would show.
"""

import json
import sys

import torch
from ascendify_startup import torch_gpu_random
from torch import nn
from torch.nn import functional

DEVICE = sys.argv[1]


class Notes:
    """Stands for the recorder of a run."""

    def __init__(self):
        self.records = []

    def write(self, record):
        self.records.append(record)


notes = Notes()
if DEVICE == "cuda":
    drawn = torch_gpu_random.begin(notes)
else:
    import torch_npu  # noqa: F401

    torch_gpu_random.register(torch, "PrivateUse1")
    torch.Generator = torch_gpu_random._generator(torch)
    drawn = None


def halves(device):
    return torch.full((6, 5), 0.5, device=device)


def generator(device):
    return torch.Generator(device=device).manual_seed(11)


def lstm(device):
    torch.manual_seed(3)
    model = nn.LSTM(4, 4, num_layers=2, dropout=0.5).to(device)
    return model(torch.ones(3, 2, 4, device=device))[0]


CASES = {
    "rand": lambda d: torch.rand(7, device=d),
    "rand_like": lambda d: torch.rand_like(halves(d)),
    "randn": lambda d: torch.randn(40, device=d),
    "randn-half": lambda d: torch.randn(40, device=d, dtype=torch.float16),
    "randint": lambda d: torch.randint(3, 90, (20,), device=d),
    "randperm": lambda d: torch.randperm(30, device=d),
    "normal": lambda d: torch.normal(0.0, 2.0, (20,), device=d),
    "normal-of-means": lambda d: torch.normal(halves(d), 2.0),
    "normal-of-deviations": lambda d: torch.normal(1.0, halves(d)),
    "normal-of-both": lambda d: torch.normal(halves(d), halves(d)),
    "uniform_": lambda d: halves(d).uniform_(-1, 1),
    "uniform_-transposed": lambda d: halves(d).t().uniform_(-1, 1),
    "normal_": lambda d: halves(d).normal_(),
    "normal_-of-a-part": lambda d: halves(d)[:, 1:3].normal_(),
    "random_": lambda d: torch.zeros(9, dtype=torch.int64, device=d).random_(),
    "random_-below": lambda d: halves(d).random_(9),
    "random_-between": lambda d: halves(d).random_(5, 9),
    "exponential_": lambda d: halves(d).exponential_(),
    "cauchy_": lambda d: halves(d).cauchy_(),
    "log_normal_": lambda d: halves(d).log_normal_(),
    "geometric_": lambda d: halves(d).geometric_(0.3),
    "bernoulli": lambda d: torch.bernoulli(halves(d)),
    "bernoulli_": lambda d: halves(d).bernoulli_(0.3),
    "bernoulli_-of-shares": lambda d: halves(d).bernoulli_(halves(d)),
    "multinomial": lambda d: torch.multinomial(halves(d), 3),
    "poisson": lambda d: torch.poisson(halves(d) * 9),
    "binomial": lambda d: torch.binomial(halves(d) * 20, halves(d)),
    "dirichlet": lambda d: torch.distributions.Dirichlet(halves(d)).sample(),
    "gamma": lambda d: torch.distributions.Gamma(halves(d), halves(d)).sample(),
    "dropout": lambda d: torch.native_dropout(halves(d), 0.5, True)[0],
    "alpha-dropout": lambda d: functional.alpha_dropout(halves(d), 0.5, training=True),
    "dropout-of-channels": lambda d: functional.dropout1d(halves(d), 0.5),
    "rrelu": lambda d: functional.rrelu(-halves(d), training=True),
    "gumbel": lambda d: functional.gumbel_softmax(halves(d)),
    "initialised": lambda d: nn.init.kaiming_normal_(torch.empty(8, 8, device=d)),
    "layer": lambda d: nn.Linear(8, 8, device=d).weight.detach(),
    "generator": lambda d: torch.rand(9, device=d, generator=generator(d)),
    "generator-in-place": lambda d: halves(d).normal_(generator=generator(d)),
}
ON_A_GPU = {
    "recurrent": lstm,
    "attention": lambda d: functional.scaled_dot_product_attention(
        *(torch.ones(1, 2, 8, 8, device=d) for _ in range(3)), dropout_p=0.5
    ),
    "seed": lambda d: (torch.cuda.manual_seed_all(8), torch.rand(5, device=d))[1],
}
COMPUTED = ("gumbel",)
if DEVICE == "cuda":
    CASES.update(ON_A_GPU)

results = {}
made = (torch.default_generator, torch.Generator(), generator(DEVICE))
results["generators-are-generators"] = (
    "" if all(isinstance(one, torch.Generator) for one in made) else repr(made)
)
for name, draw in CASES.items():
    values = []
    for device in ("cpu", DEVICE):
        torch.manual_seed(5)
        value = draw(device)
        assert value.device.type == device, (name, value.device)
        values.append((value.cpu(), torch.rand(3)))
    (host, next_host), (other, next_other) = values
    # some go on to compute on the device, which rounds differently
    exact = name not in ON_A_GPU and not (DEVICE == "cuda" and name in COMPUTED)
    same = torch.equal(host, other) if exact else torch.allclose(host, other, 1e-4, 1e-5)
    # what is drawn next tells whether both have drawn as much
    results[name] = "" if same and torch.equal(next_host, next_other) else f"{host}\n{other}"

if drawn is not None:
    drawn.look()
    results["nothing-drawn-by-the-gpu"] = repr(notes.records) if notes.records else ""
    torch._C._nn.scaled_dot_product_attention(
        *(torch.ones(1, 2, 8, 8, device="cuda", dtype=torch.float16) for _ in range(3)),
        dropout_p=0.5,
    )
    drawn.look()
    reported = [{"source": "gpu", "random": True}]
    results["drawn-by-the-gpu-is-reported"] = (
        "" if notes.records == reported else repr(notes.records)
    )
print(json.dumps(results))
