"""Lists and counts of GPUs, which are empty and 0 on an NPU."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, File, Rule, Status
from ascendify.rules.tf1 import _gpu_presence, gpu_guard, gpu_memory
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
def tell_list(site: CallSite) -> Diagnoses:
    """Every call that lists GPUs, unless what uses it goes with another rule."""
    file, call = site.file, site.node
    if site.name in _gpu_presence.LISTS and not _gpu_presence.is_gpu_list(file, call):
        return
    if _only_asks(file, call):
        return
    yield RULE.manual(
        site,
        f"{file.brief(call)} lists no NPU, so GPUs taken from it are none",
        todo=(
            "One process drives one device: use 1 where the program counts what this process "
            "uses, int(os.environ.get('RANK_SIZE', '1')) where it counts the devices of the "
            "whole job."
        ),
    )


def _only_asks(file: File, call: ast.Call) -> bool:
    """Whether the list serves only guards and memory settings, which other rules take care of."""
    if _is_cared_for(file, call):
        return True
    target = only_target(statement(call))
    uses = reads(target) if isinstance(target, ast.Name) else []
    return bool(uses) and all(_is_cared_for(file, use) for use in uses)


def _is_cared_for(file: File, node: ast.AST) -> bool:
    return gpu_guard.is_in_guard(file, node) or gpu_memory.serves_memory(file, node)
