"""Input contexts and replica contexts, which a strategy gives: use ranks."""

from __future__ import annotations

import ast

from ascendify.rules.kit import Diagnoses, File, Fix, Rule, Site, Status
from ascendify.rules.tf1 import _distributed, _npu
from ascendify.source.flow import backward
from ascendify.source.flow.forward import reads
from ascendify.source.nodes import defaults, function_around, is_literal, values_given
from ascendify.source.scopes import parent

RULE = Rule(
    code="TF1-DIST-2",
    title="Use ranks instead of a strategy's contexts",
    why=(
        "Without a strategy there is no input context and no replica context. Input "
        "functions that shard by the context would read all samples on every device."
    ),
    statuses=(Status.AUTO, Status.MANUAL),
    before=(
        "def input_fn(input_context=None):\n"
        "    if input_context:\n"
        "        dataset = dataset.shard(\n"
        "            input_context.num_input_pipelines, input_context.input_pipeline_id)"
    ),
    after=(
        "def input_fn(input_context=None):\n"
        "    if int(os.getenv('RANK_SIZE', '1')) > 1:\n"
        "        dataset = dataset.shard(\n"
        "            int(os.getenv('RANK_SIZE', '1')), int(os.getenv('RANK_ID', '0')))"
    ),
)

_INPUT = frozenset({"num_input_pipelines", "input_pipeline_id", "get_per_replica_batch_size"})
"""Members that only an input context has."""
_CONTEXTS = tuple(
    f"tf.distribute.{name}"
    for name in ("get_replica_context", "get_strategy", "in_cross_replica_context", "has_strategy",
                 "experimental_set_strategy")
)  # fmt: skip


@RULE.file
def replace_input_contexts(file: File) -> Diagnoses:
    """An input context that a function reads, once per function."""
    reported: set[int] = set()
    for node in file.module.index.ending(_INPUT):
        if not isinstance(node, ast.Attribute):
            continue
        context = file.brief(node.value)
        kinds, certain = file.resolver.kinds(file.module, node.value)
        if certain and kinds != ("tf.distribute.InputContext",):
            continue
        scope = getattr(node.value, "scope", None)
        if id(scope) in reported:
            continue
        reported.add(id(scope))
        found = f"{file.brief(node)} comes from a strategy; without one there is no {context}"
        fix = _with_ranks(file, node.value)
        if fix is None:
            yield RULE.manual(
                file.at(node),
                found,
                todo=(
                    f"Do it for every process: use {_npu.RANK_SIZE} for the number of pipelines "
                    f"and {_npu.RANK_ID} for this one, and drop conditions on {context}."
                ),
            )
        else:
            done = "Used the number of ranks and the rank of this process, where there are several."
            yield RULE.auto(file.at(node), found, done=done, fix=fix)


def _with_ranks(file: File, context: ast.expr) -> Fix | None:
    """Replace every use of a function's input context; None where a use is not known."""
    bound = backward.definitions(context) if isinstance(context, ast.Name) else []
    if not _distributed.is_strategy_run(file) or len(bound) != 1:
        return None
    parameter = bound[0].node
    if not isinstance(parameter, ast.arg) or not isinstance(context, ast.Name):
        return None
    function = function_around(parameter)
    given = () if function is None else defaults(function.args)
    if not any(argument is parameter and is_literal(value, None) for argument, value in given):
        return None
    fix = file.fix()
    for read in reads(context):
        target, text = _use(file, fix, read)
        if target is None:
            return None
        fix.replace(target, text)
    return fix


def _use(file: File, fix: Fix, read: ast.Name) -> tuple[ast.AST | None, str]:
    """The use of a context that can be replaced, and the expression for it; None if it cannot."""
    around = parent(read)
    size = _npu.rank_size(file, fix)
    if isinstance(around, ast.If) and around.test is read:
        return read, f"{size} > 1"
    if isinstance(around, ast.Compare) and isinstance(parent(around), (ast.If, ast.BoolOp)):
        others = [item for item in (around.left, *around.comparators) if item is not read]
        is_there = isinstance(around.ops[0], (ast.IsNot, ast.NotEq))
        if len(others) == 1 and is_literal(others[0], None) and is_there:
            return around, f"{size} > 1"
        return None, ""
    if not isinstance(around, ast.Attribute):
        return None, ""
    if around.attr in ("num_input_pipelines", "num_replicas_in_sync"):
        return around, size
    if around.attr == "input_pipeline_id":
        return around, _npu.rank_id(file, fix)
    call = parent(around)
    if around.attr == "get_per_replica_batch_size" and isinstance(call, ast.Call):
        values = values_given(call)
        if len(values) == 1:
            return call, f"({fix.operand(values[0])} // {size})"
    return None, ""


@RULE.reference(*_CONTEXTS)
def report_replica_contexts(site: Site) -> Diagnoses:
    """Code that gets the strategy or replica it runs in."""
    yield RULE.manual(
        site,
        f"{site.text} gets the strategy that code runs in, and there is none",
        todo=(
            "Write it for one device per process: reduce with npu_allreduce() of "
            f"npu_bridge.npu_init, count with {_npu.RANK_SIZE}."
        ),
    )
