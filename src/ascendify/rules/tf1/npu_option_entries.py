"""NPU options written by hand: report a second entry for the NPU in a config."""

from __future__ import annotations

import ast

from ascendify.rules.kit import Diagnoses, File, Rule, Status
from ascendify.rules.tf1 import _npu_entry
from ascendify.source.flow import backward
from ascendify.source.scopes import scope_of

RULE = Rule(
    code="TF1-NPU-5",
    title="Add one NpuOptimizer entry to a config",
    why=(
        "Of two entries the options are read one after the other and the last value of each "
        "wins, so neither entry says what is in force."
    ),
    statuses=(Status.MANUAL,),
    before=(
        "config = npu_config_proto()\n"
        "custom_op = config.graph_options.rewrite_options.custom_optimizers.add()\n"
        'custom_op.name = "NpuOptimizer"'
    ),
)


@RULE.file
def second_entry(file: File) -> Diagnoses:
    """An entry in a config that has one already."""
    if _npu_entry.ENTRY not in file.module.source.text:
        return
    seen: list[_npu_entry.OptimizerEntry] = []
    for entry in _npu_entry.entries(file.module):
        first = next((item for item in seen if _is_same_config(item, entry)), None)
        seen.append(entry)
        where = "" if first is None else f"from line {first.call.lineno}"
        todo = "Set the options on the first entry and remove this one."
        if first is None and _npu_entry.made_by_npu(file.resolver, file.module, entry.config):
            where = "from npu_config_proto()"
            todo = (
                f"Take the entry that is there: {file.text(entry.rewriter)}.custom_optimizers[0] "
                "in place of .add(); or make the config with tf.ConfigProto()."
            )
        if where:
            yield RULE.manual(
                file.at(entry.call),
                f"the config has an NpuOptimizer entry already, {where}",
                todo=todo,
            )


def _is_same_config(first: _npu_entry.OptimizerEntry, second: _npu_entry.OptimizerEntry) -> bool:
    mine, theirs = first.config or first.rewriter, second.config or second.rewriter
    if not _npu_entry.is_same(mine, theirs) or not _npu_entry.run_together(first.call, second.call):
        return False
    if isinstance(mine, ast.Name):
        return len(backward.bindings(mine)) == 1
    return scope_of(first.call) is scope_of(second.call)
