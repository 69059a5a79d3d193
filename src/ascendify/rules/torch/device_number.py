"""Devices by number: what ``x.to(0)`` means depends on the version of PyTorch."""

from __future__ import annotations

import ast

from ascendify.rules.kit import Diagnoses, File, Rule, Status

RULE = Rule(
    code="TORCH-DEV-8",
    title="Know what a device by number means",
    why=(
        "Today a number counts the accelerators there are, so device 0 is npu:0. Old versions, "
        "2.1 among them, take a bare number for a GPU and raise where there is none."
    ),
    statuses=(Status.INFO,),
    before="model.to(0)",
)

_PLACES = ("torch.device", "torch.Tensor.to", "torch.nn.Module.to")


@RULE.file
def tell(file: File) -> Diagnoses:
    """Say it once in a file, at the first place."""
    if file.facts.style == "transfer":
        return
    calls = file.module.index.calls_by_name
    # only what is given a number is worth asking about
    numbered = [call for name in ("device", "to") for call in calls.get(name, ()) if _number(call)]
    found = [call for call in numbered if file.name(call.func) in _PLACES]
    if found:
        first = min(found, key=lambda call: (call.lineno, call.col_offset))
        more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        yield RULE.info(
            file.at(first),
            f"{file.brief(first)} gives a device by number{more}",
            todo="Nothing with a recent PyTorch. With an old one such as 2.1 write "
            f"'npu:{_number(first)}' instead of {_number(first)}.",
        )


def _number(call: ast.Call) -> str:
    """The number a call is given for a device, as text; empty where it is given none."""
    given = call.args[0] if call.args else None
    for keyword in call.keywords:
        given = keyword.value if keyword.arg == "device" else given
    is_number = isinstance(given, ast.Constant) and type(given.value) is int
    return str(given.value) if is_number else ""  # type: ignore[union-attr]  # told by is_number
