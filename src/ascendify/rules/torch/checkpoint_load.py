"""``torch.load`` without a place to load to."""

from __future__ import annotations

from collections.abc import Iterator

from ascendify.findings import Status
from ascendify.rules.rule import Diagnosis, Rule
from ascendify.rules.site import CallSite

RULE = Rule(
    code="TORCH-CKPT-2",
    title="Load files on the CPU first",
    why=(
        "A file remembers on which device each tensor was. Loading one that was written on a GPU "
        "raises where there is none, unless a map_location is given. load_state_dict copies from "
        "the CPU to wherever the model and the optimizer are."
    ),
    statuses=(Status.AUTO_CHECK, Status.MANUAL),
    before="state = torch.load(path)",
    after="state = torch.load(path, map_location='cpu')",
    safety=(
        "Tensors of the file are on the CPU. What goes through load_state_dict is moved by it; "
        "what the program takes from the file itself has to be moved with .npu() or .to(device)."
    ),
)


@RULE.call("torch.load")
def give_place(site: CallSite) -> Iterator[Diagnosis]:
    """Add the argument where it is not given."""
    if "map_location" in site.args or len(site.node.args) > 1:
        return
    text = site.file.brief(site.node)
    found = f"{text} loads tensors to the device they were saved on"
    if site.args.starred:
        yield site.finding(
            RULE,
            Status.MANUAL,
            found,
            todo="Make sure that the arguments bring map_location='cpu'.",
        )
        return
    fix = site.fix()
    fix.add_argument(site.node, "map_location='cpu'")
    yield site.finding(
        RULE,
        Status.AUTO_CHECK,
        found,
        done="Added map_location='cpu'.",
        todo="Where tensors of the file are used without load_state_dict, move them to the device.",
        fix=fix,
    )
