"""Note devices by number, whose meaning depends on the release of PyTorch."""

from __future__ import annotations

import ast

from ascendify.rules.kit import Diagnoses, File, Rule, Status
from ascendify.source.nodes import given_value, position

RULE = Rule(
    code="TORCH-DEV-8",
    title="Know what a device by number means",
    why=(
        "In current releases a number means an accelerator, so device 0 is npu:0. Old releases "
        "such as 2.1 treat a number as a GPU, and raise an error where there is none."
    ),
    statuses=(Status.INFO,),
    before="model.to(0)",
)

_PLACES = ("torch.device", "torch.Tensor.to", "torch.nn.Module.to")


@RULE.file
def note_first(file: File) -> Diagnoses:
    """Note the first place in a file."""
    if file.facts.style == "transfer":
        return
    calls = file.module.index.calls_by_name
    numbered = [call for name in ("device", "to") for call in calls.get(name, ()) if _number(call)]
    found = [call for call in numbered if file.name(call.func) in _PLACES]
    if found:
        first = min(found, key=position)
        more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        yield RULE.info(
            file.at(first),
            f"{file.brief(first)} names a device by number{more}",
            todo="Nothing with a recent PyTorch. With an old one such as 2.1 write "
            f"'npu:{_number(first)}' instead of {_number(first)}.",
        )


def _number(call: ast.Call) -> str:
    """The number that a call gets as a device; empty where it gets none."""
    given = getattr(given_value(call, "device", 0), "value", None)
    return str(given) if type(given) is int else ""
