"""Add a map_location to ``torch.load``."""

from __future__ import annotations

from ascendify.rules.kit import CallSite, Diagnoses, Diagnosis, Rule, Status
from ascendify.rules.torch import _loaded

RULE = Rule(
    code="TORCH-CKPT-2",
    title="Load checkpoints to the CPU first",
    why=(
        "A checkpoint stores the device of each tensor. Without a map_location, loading one that "
        "was written on a GPU raises an error on a machine without GPUs. load_state_dict copies "
        "from the CPU to the device of the model and the optimizer."
    ),
    statuses=(Status.AUTO, Status.AUTO_CHECK, Status.MANUAL),
    before="state = torch.load(path)",
    after="state = torch.load(path, map_location='cpu')",
    safety=(
        "Loaded tensors are on the CPU. load_state_dict moves what it gets; tensors that the "
        "program uses directly must be moved with .npu() or .to(device). A whole model that is "
        "used on the device it was saved on is loaded to the NPU instead."
    ),
)

_FOUND = "{} loads tensors to the device they were saved on"


@RULE.call("torch.load")
def add_location(site: CallSite) -> Diagnoses:
    """Add map_location where it is not given."""
    if "map_location" in site.args or len(site.node.args) > 1:
        return
    if site.args.starred:
        todo = "Check that the * or ** arguments contain map_location='cpu'."
        yield RULE.manual(site, _FOUND.format(site.brief), todo=todo)
    elif not _loaded.is_moved(site.node) and (
        _loaded.is_model(site.node) or _loaded.may_be_model(site.node)
    ):
        # transfer_to_npu would change a key 'cuda:0' to 'npu:0', which matches nothing
        on_npu = "{'cuda:0': 'npu:0'}"
        if site.file.facts.switched:
            on_npu = "'cuda'" if site.file.facts.style == "transfer" else "'npu'"
        yield _add(
            site,
            on_npu,
            "A whole model is loaded. If it was saved on another device than the first GPU, or "
            "must be on the CPU, change map_location.",
        )
    elif _loaded.is_copied(site.node):
        yield _add(site, "'cpu'", "")
    else:
        todo = "Move tensors that are used without load_state_dict to the device."
        yield _add(site, "'cpu'", todo)


def _add(site: CallSite, place: str, todo: str) -> Diagnosis:
    fix = site.fix()
    fix.add_argument(site.node, f"map_location={place}")
    return RULE.fixed(
        site,
        _FOUND.format(site.brief),
        done=f"Added map_location={place}.",
        todo=todo,
        fix=fix,
    )
