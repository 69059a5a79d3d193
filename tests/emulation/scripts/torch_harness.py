"""Cases of one script: run all, report each, and comparisons that say what differs."""

import json
import traceback

import torch
import torch_npu  # noqa: F401 (torch before 2.5 does not load it by itself)

CASES = {}
HAS_ACCELERATOR = hasattr(torch, "accelerator")  # from torch 2.6 on


def make_scaler(device, **options):
    """torch's scaler of losses for any device; before torch 2.3 that of the device."""
    if hasattr(torch.amp, "GradScaler"):
        return torch.amp.GradScaler(device, **options)
    kind = torch.npu.amp.GradScaler if device == "npu" else torch.cuda.amp.GradScaler
    return kind(**options)


def case(function):
    """Make a function a case."""
    CASES[function.__name__] = function
    return function


def close(found, expected, tolerance=1e-5):
    """Tensors or numbers are equal up to a tolerance."""
    found, expected = torch.as_tensor(found).cpu(), torch.as_tensor(expected).cpu()
    assert found.shape == expected.shape, (found.shape, expected.shape)
    difference = (found.double() - expected.double()).abs().max().item() if found.numel() else 0
    assert difference <= tolerance, f"differs by {difference}:\n{found}\n{expected}"


def same(found, expected):
    """Tensors are equal to the last bit."""
    found, expected = found.detach().cpu(), expected.detach().cpu()
    assert torch.equal(found, expected), f"{found}\n{expected}"


def raises(kind, text, function, *arguments, **named):
    """Something raises an error of a kind whose message has a text."""
    try:
        function(*arguments, **named)
    except kind as error:
        assert text in str(error), str(error)
        return
    raise AssertionError("nothing was raised")


class MissingError(Exception):
    """The release or the build of torch does not have what a case is about."""


NOT_IN_RELEASE = "the emulated release, does not have it"


def run_all(*arguments):
    """{case: [what the release does not have or None, what went wrong or None]}."""
    found = {}
    for name, function in CASES.items():
        try:
            function(*arguments)
            found[name] = [None, None]
        except MissingError as reason:
            found[name] = [str(reason), None]
        except Exception as error:
            # a name that the release of torch_npu does not have; test_torch_release checks which
            absent = isinstance(error, AttributeError) and NOT_IN_RELEASE in str(error)
            found[name] = [str(error), None] if absent else [None, traceback.format_exc()]
    return found


def main():
    """Run the cases and print the results as the last line."""
    print(json.dumps(run_all()))
