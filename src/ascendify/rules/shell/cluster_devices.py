"""GPUs that manifests, compose files and workflows ask for: ask for NPUs, or report them."""

from __future__ import annotations

import re

from ascendify.rules.kit import Changes, Diagnoses, Diagnosis, Rule, Status, TextSite
from ascendify.source.edits import Edit
from ascendify.source.entries import ConfigEntry, read

RULE = Rule(
    code="SH-K8S-1",
    title="Ask clusters for NPUs instead of GPUs",
    why=(
        "A manifest that asks for nvidia.com/gpu, for nodes or runners with GPUs, or for NVIDIA's "
        "runtime is never scheduled on NPUs, or is given none. Ascend's device plugin offers "
        "huawei.com/Ascend910 for Atlas training series, A2 and A3."
    ),
    statuses=(Status.AUTO_CHECK, Status.MANUAL),
    before="resources:\n  limits:\n    nvidia.com/gpu: 8",
    after="resources:\n  limits:\n    huawei.com/Ascend910: 8",
    safety="The resource has the name that the device plugin of the cluster gives it.",
)

_RESOURCE, _NPU = "nvidia.com/gpu", "huawei.com/Ascend910"
_RESOURCE_KEYS = frozenset({"limits", "requests", "resources", "hard"})
_NODES = re.compile(r"nvidia|gke-accelerator|\bgpus?\b|[avhtlp]100\b|h200\b|tesla", re.I)
_NODE_KEYS = frozenset({"nodeselector", "tolerations", "nodeaffinity", "node_selector"})
_RUNNER_KEYS = frozenset({"runs-on", "runner", "runs_on"})
_ACCELERATORS = frozenset({"accelerators", "accelerator_type", "gpu_type", "gputype"})
_GPU_MODEL = re.compile(
    r"(?:nvidia[-_ ]?)?(?:tesla[-_]?)?(?:[avhtlp]\d{1,3}g?|gb200|b200|rtx\w*)\b.*", re.I
)


@RULE.text("config")
def report_requests(site: TextSite) -> Diagnoses:
    """Each entry that asks for GPUs."""
    if _NODES.search(site.text) is None:
        return
    for entry in read(site.path, site.text):
        diagnosis = _about(site, entry)
        if diagnosis is not None:
            yield diagnosis


def _about(site: TextSite, entry: ConfigEntry) -> Diagnosis | None:
    keys = [str(key) for key in entry.keys]
    lower = [key.lower() for key in keys]
    own = keys[-1] if keys else ""
    if _RESOURCE in own and _RESOURCE_KEYS & set(lower):
        return _resource(site, entry, own)
    place = site.at(entry.key_start, entry.end)
    shown = entry.value if entry.is_item else f"{own}: {entry.value}"
    if _NODE_KEYS & set(lower) and _NODES.search(shown):
        return RULE.manual(
            place,
            f"{shown} chooses nodes with GPUs",
            todo="Name the label or taint of the nodes with NPUs (Ascend's device plugin sets "
            "accelerator: huawei-Ascend910 with Volcano), or remove it.",
        )
    if lower[-1:] == ["runtimeclassname"] and "nvidia" in entry.value:
        todo = "Use the runtime class of Ascend Docker Runtime (ascend), or remove it."
        return RULE.manual(place, f"{shown} is NVIDIA's runtime", todo=todo)
    if _RUNNER_KEYS & set(lower) and _NODES.search(entry.value):
        todo = "Name a runner with NPUs, or leave the job to machines with GPUs."
        return RULE.manual(place, f"{entry.value} is a runner with GPUs", todo=todo)
    if lower[-1:] and lower[-1] in _ACCELERATORS and _GPU_MODEL.fullmatch(entry.value):
        todo = "Name the NPU as the scheduler calls it."
        return RULE.manual(place, f"{shown} asks for a GPU", todo=todo)
    return None


def _resource(site: TextSite, entry: ConfigEntry, own: str) -> Diagnosis:
    """Rename the resource, where it is a plain key; a partition of a GPU has no counterpart."""
    start = site.text.find(_RESOURCE, entry.key_start)
    place = site.at(entry.key_start, entry.end)
    found = f"{own}: {entry.value} asks for GPUs"
    edit = Edit(start, start + len(_RESOURCE), _NPU)
    return RULE.auto_check(
        place,
        found,
        done=f"Replaced {_RESOURCE} by {_NPU}.",
        todo="Check the name with `kubectl describe node`: the device plugin of the cluster sets "
        "it, and for a 310P it is huawei.com/Ascend310P.",
        fix=Changes([edit]),
    )
