"""Ported code: gradients are reduced only if a flag says that there are several ranks."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, Rule, Status
from ascendify.source.nodes import conditions_around, last_name

RULE = Rule(
    code="TF2-NPU-4",
    title="Reduce gradients whatever a flag says about the number of ranks",
    why=(
        "The optimizer wrapper asks the NPU how many ranks there are and does nothing for one. "
        "Behind a flag such as --rank_size that somebody forgets, every rank trains a model of its "
        "own, and nothing says so."
    ),
    statuses=(Status.MANUAL,),
    before=(
        "if args.rank_size != 1:\n"
        "    opt = npu_device.distribute.npu_distributed_keras_optimizer_wrapper(opt)"
    ),
)

_WRAPPER = "npu_distributed_keras_optimizer_wrapper"
_COLLECTIVES = tuple(
    f"npu_device.distribute.{place}{name}"
    for place in ("", "hccl.")
    for name in (_WRAPPER, "all_reduce", "broadcast", "shard_and_rebatch_dataset")
)
_SIZES = frozenset({"rank_size", "num_gpus", "device_num", "num_devices", "npu_nums", "nproc"})


@RULE.call(*_COLLECTIVES)
def report(site: CallSite) -> Diagnoses:
    """Report a condition around it that reads such a flag of the command line."""
    for test in conditions_around(site.node):
        flag = next((item for item in ast.walk(test) if _is_flag(item)), None)
        if flag is not None:
            yield RULE.manual(
                site,
                f"{site.callee} runs only if {site.file.brief(test, 40)}, which a flag decides and "
                "not the environment",
                todo="Call it always: with one rank it does nothing.",
            )
            return


def _is_flag(node: ast.AST) -> bool:
    owner = node.value if isinstance(node, ast.Attribute) else None
    flags = last_name(owner).lower() in ("args", "flags", "opt", "options", "config", "cfg")
    return isinstance(node, ast.Attribute) and node.attr in _SIZES and flags
