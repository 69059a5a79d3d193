"""Replace CUDA graphs by NPU graphs, which are supported for inference only."""

from __future__ import annotations

import ast
import re

from ascendify.rules.kit import Diagnoses, Effort, Rule, Site, Status
from ascendify.rules.torch import _cuda
from ascendify.source.scopes import parent

RULE = Rule(
    code="TORCH-CUDA-3",
    title="Capture NPU graphs instead of CUDA graphs",
    why=(
        "torch_npu captures streams with NPUGraph. torch.npu.graph, graph_pool_handle and "
        "make_graphed_callables have the same names, but torch.npu.CUDAGraph does not exist, and "
        "the vendor supports all of them for inference only."
    ),
    statuses=(Status.AUTO_CHECK, Status.MANUAL),
    before="g = torch.cuda.CUDAGraph()\nwith torch.cuda.graph(g):\n    y = model(x)",
    after="g = torch.npu.NPUGraph()\nwith torch.npu.graph(g):\n    y = model(x)",
    safety="Capturing a training step, with backward and optimizer, is not supported on an NPU.",
)
_TRAINS = re.compile(r"\.backward\(|optimizer\w*\.step\(|scaler\.\w+\(")
_TRAINING = (
    "A training step is captured here, which an NPU does not support: run the body of the with "
    "statement in every iteration instead of replaying the graph."
)
_TODO = (
    "Keep it if only inference is captured. A training step must run without a graph: call the "
    "captured functions directly in every step."
)


@RULE.reference(*sorted(_cuda.GRAPHS), *(f"{name}.*" for name in sorted(_cuda.GRAPHS)))
def rename(site: Site) -> Diagnoses:
    """Rename the class; the functions have the same names."""
    file = site.file
    spelled = site.brief
    found = f"{spelled} records work on a GPU to replay it"
    todo = _TRAINING if _trains(site) else _TODO
    fix = site.fix()
    new = _cuda.rename(file, fix, site.node)
    if file.facts.style == "transfer" or not fix.edits:
        # nothing to edit where a name was imported: its import changes
        yield RULE.manual(site, found, todo=todo, effort=Effort.HOURS)
        return
    done = f"Replaced it by {new}."
    yield RULE.auto_check(site, found, done=done, todo=todo, fix=fix)


def _trains(site: Site) -> bool:
    """Whether gradients are computed in the block that is captured."""
    call = parent(site.node)
    block = parent(parent(call))
    return isinstance(block, ast.With) and _TRAINS.search(site.file.text(block)) is not None
