"""Devices by number: what ``x.to(0)`` means depends on the version of PyTorch."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ascendify.findings import Status
from ascendify.rules.rule import Diagnosis, Rule
from ascendify.rules.site import CallSite, File

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

_PLACES = {"torch.device": "type", "torch.Tensor.to": "device", "torch.nn.Module.to": "device"}


@RULE.file
def tell(file: File) -> Iterator[Diagnosis]:
    """Say it once in a file, at the first place."""
    if file.facts.style == "transfer":
        return
    sites = [site for site in file.calls(*_PLACES) if _number(site) is not None]
    if sites:
        first = sites[0]
        more = f" (and {len(sites) - 1} more)" if len(sites) > 1 else ""
        yield first.finding(
            RULE,
            Status.INFO,
            f"{file.brief(first.node)} gives a device by number{more}",
            todo="Nothing with a recent PyTorch. With an old one such as 2.1 write "
            f"'npu:{_number(first)}' instead of {_number(first)}.",
        )


def _number(site: CallSite) -> int | None:
    call = site.node
    given = call.args[0] if call.args else site.args.value(_PLACES[site.name])
    if isinstance(given, ast.Constant) and type(given.value) is int:
        return given.value
    return None
