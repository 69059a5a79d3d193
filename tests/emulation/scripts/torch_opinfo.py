"""Every operator PyTorch describes in its OpInfo tables, on the emulated NPU and on the CPU.

Values and gradients of the first samples of each entry are compared. The last line printed is
{"compared": [...], "failed": {entry: reason}, "without samples": [...]}.
Needs `expecttest`, which PyTorch's own test helpers import.
"""

import itertools
import json
import sys
import warnings

import torch
import torch_npu  # noqa: F401 (torch before 2.5 does not load it by itself)
from torch.testing._internal.common_methods_invocations import op_db
from torch.utils._pytree import tree_flatten, tree_map

warnings.simplefilter("ignore")
torch.set_num_threads(1)

SAMPLES = 3
UNINITIALISED = ("empty", "empty_like", "empty_strided", "empty_permuted", "new_empty",
                 "new_empty_strided")  # fmt: skip
"""Entries whose values are whatever the memory held."""


def title(op):
    return f"{op.name}.{op.variant_test_name}" if op.variant_test_name else op.name


def on(device):
    """Moves a sample: tensors, devices and the names of devices."""

    def moved(value):
        if isinstance(value, torch.Tensor):
            made = value.detach().clone() if device == "cpu" else value.detach().to(device)
            return made.requires_grad_(value.requires_grad)
        if isinstance(value, torch.device) or value == "cpu":
            return torch.device(device)
        return value

    return moved


def tensors(value):
    return [leaf for leaf in tree_flatten(value)[0] if isinstance(leaf, torch.Tensor)]


def computed(op, sample, device):
    """Results and gradients of one sample on one device."""
    given, args, kwargs = tree_map(on(device), (sample.input, sample.args, sample.kwargs))
    torch.manual_seed(0)
    results = tensors(op.op(given, *args, **kwargs))
    differentiable = [r for r in results if r.requires_grad and r.layout is torch.strided]
    inputs = [t for t in tensors((given, args, kwargs)) if t.requires_grad]
    gradients = []
    if differentiable and inputs:
        total = sum((r.abs() if r.is_complex() else r).double().sum() for r in differentiable)
        gradients = torch.autograd.grad(total, inputs, allow_unused=True)
    return results, gradients


def check_same(here, there, what, tolerance):
    assert len(here) == len(there), f"{len(there)} {what} instead of {len(here)}"
    for expected, found in zip(here, there):
        assert (expected is None) == (found is None), f"one of the {what} is missing"
        if expected is None or expected.layout is not torch.strided:
            continue
        assert found.dtype == expected.dtype and found.shape == expected.shape, what
        wide = torch.complex128 if expected.is_complex() else torch.float64
        equal = torch.allclose(
            expected.detach().to(wide),
            found.detach().cpu().to(wide),
            tolerance,
            tolerance,
            equal_nan=True,
        )
        assert equal, f"{what} differ"


def samples(op):
    kind = torch.float32 if torch.float32 in op.dtypes else next(iter(op.dtypes), None)
    if kind is None:
        return []
    gradients = op.supports_autograd and kind is torch.float32
    torch.manual_seed(0)
    return list(itertools.islice(op.sample_inputs("cpu", kind, requires_grad=gradients), SAMPLES))


def compare(op):
    """How many samples of an entry were compared; the cpu decides which ones can be computed."""
    compared = 0
    for sample in samples(op):
        try:
            results, gradients = computed(op, sample, "cpu")
        except Exception:
            continue
        found, found_gradients = computed(op, sample, "npu")
        assert all(f.is_npu or r.layout is not torch.strided for r, f in zip(results, found))
        if op.name not in UNINITIALISED:
            check_same(results, found, "values", 1e-5)
            check_same(gradients, found_gradients, "gradients", 1e-4)
        compared += 1
    return compared


def main():
    wanted = sys.argv[1:]
    reported = {"compared": [], "failed": {}, "without samples": []}
    for op in op_db:
        if wanted and title(op) not in wanted:
            continue
        try:
            reported["compared" if compare(op) else "without samples"].append(title(op))
        except Exception as error:
            reported["failed"][title(op)] = f"{type(error).__name__}: {str(error).splitlines()[0]}"
    print(json.dumps(reported))


if __name__ == "__main__":
    main()
