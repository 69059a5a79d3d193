"""Report device properties that an NPU does not have."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ascendify.catalog import replacements
from ascendify.rules.kit import CallSite, Diagnoses, Rule, Status
from ascendify.rules.torch import _cuda
from ascendify.source.flow.forward import reads
from ascendify.source.scopes import parent

RULE = Rule(
    code="TORCH-CUDA-6",
    title="Read only the device properties an NPU has",
    why=(
        "torch.npu.get_device_properties() sets name, total_memory, L2_cache_size, cube_core_num "
        "and vector_core_num. Streaming multiprocessors, warps and compute capabilities do not "
        "exist on an NPU, and their properties are not set."
    ),
    statuses=(Status.MANUAL,),
    raises=True,
    before="torch.cuda.get_device_properties(0).multi_processor_count",
)

_MISSING = replacements.texts("device-properties")


@RULE.call(f"{_cuda.CUDA}.get_device_properties", f"{_cuda.NPU}.get_device_properties")
def report_properties(site: CallSite) -> Diagnoses:
    """Report properties that are read from the result, or from the variable that holds it."""
    for node in _read(site.node):
        if node.attr in _MISSING:
            yield RULE.manual(
                site.at(node),
                f"{site.file.brief(node)} is not set on an NPU",
                todo=_MISSING[node.attr],
            )


def _read(call: ast.Call) -> Iterator[ast.Attribute]:
    around = parent(call)
    if isinstance(around, ast.Attribute):
        yield around
        return
    target = around.targets[0] if isinstance(around, ast.Assign) else None
    for name in reads(target) if isinstance(target, ast.Name) else ():
        user = parent(name)
        if isinstance(user, ast.Attribute):
            yield user
