"""``torch.load`` without a place to load to."""

from __future__ import annotations

from ascendify.rules.kit import CallSite, Diagnoses, Diagnosis, Rule, Status
from ascendify.rules.torch import _loaded

RULE = Rule(
    code="TORCH-CKPT-2",
    title="Load files on the CPU first",
    why=(
        "A file remembers on which device each tensor was. Loading one that was written on a GPU "
        "raises where there is none, unless a map_location is given. load_state_dict copies from "
        "the CPU to wherever the model and the optimizer are."
    ),
    statuses=(Status.AUTO, Status.AUTO_CHECK, Status.MANUAL),
    before="state = torch.load(path)",
    after="state = torch.load(path, map_location='cpu')",
    safety=(
        "Tensors of the file are on the CPU. What goes through load_state_dict is moved by it; "
        "what the program takes from the file itself has to be moved with .npu() or .to(device). "
        "A whole model that the program uses where it was saved is loaded to the NPU instead."
    ),
)


@RULE.call("torch.load")
def give_place(site: CallSite) -> Diagnoses:
    """Add the argument where it is not given."""
    if "map_location" in site.args or len(site.node.args) > 1:
        return
    if site.args.starred:
        yield RULE.manual(
            site,
            f"{site.brief} loads tensors to the device they were saved on",
            todo="Make sure that the arguments bring map_location='cpu'.",
        )
        return
    if not _loaded.is_moved(site.node) and (
        _loaded.is_model(site.node) or _loaded.may_be_model(site.node)
    ):
        # with the switch a key 'cuda:0' would be taken for an NPU's, and match nothing
        on_npu = "'cuda'" if site.file.facts.style == "transfer" else "{'cuda:0': 'npu:0'}"
        yield _given(
            site,
            on_npu,
            "It is a model that is used where it was saved. Where it was saved on another device "
            "than the first, or has to be on the CPU, say so here.",
        )
        return
    if _loaded.is_copied(site.node):
        yield _given(site, "'cpu'", "")
        return
    yield _given(
        site,
        "'cpu'",
        "Where tensors of the file are used without load_state_dict, move them to the device.",
    )


def _given(site: CallSite, place: str, todo: str) -> Diagnosis:
    fix = site.fix()
    fix.add_argument(site.node, f"map_location={place}")
    return RULE.fixed(
        site,
        f"{site.brief} loads tensors to the device they were saved on",
        done=f"Added map_location={place}.",
        todo=todo,
        fix=fix,
    )
