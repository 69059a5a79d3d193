"""Lists and counts of GPUs: report them, because they are empty and 0 on an NPU."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, File, Rule, Status
from ascendify.rules.tf1 import _gpu_presence, _npu, gpu_guard, gpu_memory
from ascendify.source.flow.forward import reads
from ascendify.source.nodes import only_target
from ascendify.source.scopes import statement

RULE = Rule(
    code="TF1-GPU-7",
    title="Do not count GPUs",
    why=(
        "An NPU is not in TensorFlow's device list, so a list of GPUs is empty and their number is "
        "0: batch sizes become 0, towers are not built, divisions fail."
    ),
    statuses=(Status.MANUAL,),
    before="num_gpus = len(tf.config.experimental.list_physical_devices('GPU'))",
)


@RULE.call(*_gpu_presence.LISTS, *_gpu_presence.LOCAL_DEVICES, *_gpu_presence.KERAS_LISTS)
def report_list(site: CallSite) -> Diagnoses:
    """Report calls that list GPUs, unless another rule removes the code that uses the list."""
    file, call = site.file, site.node
    if site.name in _gpu_presence.LISTS and not _gpu_presence.is_gpu_list(file, call):
        return
    target = only_target(statement(call))
    uses = reads(target) if isinstance(target, ast.Name) else []
    if _is_handled(file, call) or (uses and all(_is_handled(file, use) for use in uses)):
        return
    yield RULE.manual(
        site,
        f"{file.brief(call)} does not list NPUs, so no GPU is found in it",
        todo=(
            "One process drives one device: use 1 where the program counts what this process "
            f"uses, {_npu.RANK_SIZE} where it counts the devices of the whole job."
        ),
    )


def _is_handled(file: File, node: ast.AST) -> bool:
    """Whether other rules handle this use of the list: a guard, or memory settings."""
    return gpu_guard.is_in_guard(file, node) or gpu_memory.serves_memory(file, node)
