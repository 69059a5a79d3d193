"""Compiles every kernel a network starts in training, for GPUs that need not be there.

The network runs on the CPU, with the sizes of the guides. Every kernel it would start is compiled
for what it is given, and not started. Prints the names of the kernels, by GPU and precision.
"""

import importlib
import json
import sys

import torch
import triton
from triton.backends.compiler import GPUTarget

from ascendify.zoo import networks, settings
from ascendify.zoo.bench.plain import PLAIN

DTYPES = {"bf16": torch.bfloat16, "fp16": torch.float16}
run = triton.runtime.JITFunction.run
names = set()


class Driver:
    """Answers what the compiler asks of a device."""

    def __init__(self, capability):
        self.target = GPUTarget("cuda", capability, 32)

    def get_current_device(self):
        return self.target.arch  # a number of its own: what is compiled is kept by it

    def get_current_stream(self, device):
        return 0

    def get_current_target(self):
        return self.target


def compile_only(self, *args, grid, warmup, **kwargs):
    assert run(self, *args, grid=grid, warmup=True, **kwargs).asm["cubin"]
    names.add(self.fn.__name__)


def compiled(made, batch, capability, precision):
    names.clear()
    triton.runtime.driver.set_active(Driver(capability))
    torch.cuda.get_device_capability = lambda device: divmod(capability, 10)
    model = made.model().to(memory_format=torch.channels_last)
    with torch.autocast("cpu", DTYPES.get(precision), enabled=precision in DTYPES):
        loss = made.loss(model, batch)["loss"]
    loss.backward()
    return sorted(names)


triton.runtime.JITFunction.run = compile_only
for module in ("crnn.ctc", "attention_ocr.model", "attention_ocr.pooling"):
    importlib.import_module(f"ascendify.zoo.{module}").has_kernels = lambda _: True
name, wanted = sys.argv[1], json.loads(sys.argv[2])
recipe = networks.find(name)
made = recipe(settings.override(networks.preset(recipe, "guide"), PLAIN[name].overrides))
batch = PLAIN[name].batch(made.config, 1, torch.Generator().manual_seed(0))
print(json.dumps([compiled(made, batch, *one) for one in wanted]))
