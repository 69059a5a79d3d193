"""Training on several devices without Horovod: optimizers that average gradients, broadcasts."""

from __future__ import annotations

import ast

from ascendify.catalog import types
from ascendify.rules.kit import CallSite, Diagnosis, File, Fix, Rule, names
from ascendify.rules.kit.ranks import tells_ranks
from ascendify.rules.tensorflow.passing import uses
from ascendify.source.flow import backward
from ascendify.source.module import Module
from ascendify.source.nodes import class_around, values_given
from ascendify.source.scopes import parent
from ascendify.source.values import Class, Ref

OPTIMIZER = "tf.train.Optimizer"
KERAS_OPTIMIZER = "tf.keras.optimizers.Optimizer"
WRAPPERS = frozenset(
    ["npu.npu_distributed_optimizer_wrapper", "npu.NPUDistributedOptimizer",
     "npu.KerasDistributeOptimizer", "npu.npu_keras_optimizer", "npu.npu_tf_optimizer",
     "npu.NPUOptimizer", "horovod.tensorflow.DistributedOptimizer",
     "horovod.tensorflow.keras.DistributedOptimizer", "horovod.keras.DistributedOptimizer"]
)  # fmt: skip
"""Calls that give an optimizer that averages gradients over the ranks."""
CROSS_SHARD = frozenset({"tf.tpu.CrossShardOptimizer", "tf.contrib.tpu.CrossShardOptimizer"})
"""The wrapper that averages over the cores of a TPU."""
NPU_WRAPPERS = frozenset(name for name in WRAPPERS if name.startswith("npu."))
_INIT = "npu_bridge.npu_init"
_MAX_DEPTH = 5


_BROADCAST = '''\
def {{name}}(variables, root_rank):
{indent}"""Operation that gives every rank the float variables of the root rank."""
{indent}return {tf}.group(*[
{indent}{indent}{tf}.assign(variable, {hccl}.broadcast([variable], root_rank)[0])
{indent}{indent}for variable in variables if variable.dtype.base_dtype.is_floating])'''


_AVERAGE = '''\
def {{name}}(gradients):
{indent}"""Average gradients over the ranks; with one rank they stay as they are."""
{indent}if int({os}.getenv("RANK_SIZE", "1")) < 2:
{indent}{indent}return gradients
{indent}averaged = []
{indent}for gradient in gradients:
{indent}{indent}rows = gradient.values if isinstance(gradient, {tf}.IndexedSlices) else None
{indent}{indent}if rows is not None and not rows.shape.is_fully_defined():
{indent}{indent}{indent}gradient = {tf}.convert_to_tensor(gradient)  # ranks differ in rows
{indent}{indent}averaged.append(None if gradient is None else {allreduce}(gradient))
{indent}return averaged'''


_FOLDER = '''\
def {{name}}(folder):
{indent}"""Return the folder itself on rank 0, and one below it on every other rank."""
{indent}rank = int({os}.getenv("RANK_ID", "0"))
{indent}return folder if rank == 0 or not folder else {os}.path.join(folder, "rank_%d" % rank)'''
RANK_FOLDER = "npu_rank_folder"


def is_strategy_run(file: File) -> bool:
    """Whether the project trains on several devices without Horovod."""
    return file.facts.distributed == "tf_strategy"


def broadcast_helper(fix: Fix, hccl: str, node: ast.AST) -> str:
    """The name of a function, defined in the file for a node, that broadcasts variables."""
    tensorflow = names.tensorflow(fix, fix.module.tree)
    text = _BROADCAST.format(tf=tensorflow, hccl=hccl, indent=fix.indent_unit)
    return fix.define(text, "npu_broadcast", node)


def broadcast_all(fix: Fix, node: ast.AST, session: str) -> str:
    """Statements that give every rank the variables of rank 0, where there are several."""
    helper = broadcast_helper(fix, fix.use("npu_bridge.hccl", "hccl_ops"), node)
    return (
        f'if int({fix.use("os")}.getenv("RANK_SIZE", "1")) > 1:\n'
        f"{fix.indent_unit}{session}.run({helper}({names.tensorflow(fix, node)}"
        ".global_variables(), 0))"
    )


def average_helper(fix: Fix, node: ast.AST) -> str:
    """The name of a function, defined in the file for a node, that averages gradients."""
    text = _AVERAGE.format(
        os=fix.use("os"),
        tf=names.tensorflow(fix, fix.module.tree),
        allreduce=fix.use(_INIT, "npu_allreduce"),
        indent=fix.indent_unit,
    )
    return fix.define(text, "npu_average", node)


def wrap_folder(fix: Fix, folder: ast.expr, node: ast.AST) -> str:
    """Give ranks other than 0 a folder of their own; the name of the function that does."""
    text = _FOLDER.format(os=fix.use("os"), indent=fix.indent_unit)
    function = fix.define(text, RANK_FOLDER, node)
    fix.wrap(folder, f"{function}(")
    return function


def is_for_rank(file: File, folder: ast.expr) -> bool:
    """Whether a folder already depends on the rank, as far as its name or its value shows.

    What a function is given may depend on it too, where a caller says so.
    """
    if tells_ranks(file, folder):
        return True
    if not isinstance(folder, ast.Name):
        return False
    given = [
        value
        for binding in backward.definitions(folder)
        if isinstance(binding.node, ast.arg)
        for caller, value in backward.passed(file.resolver, file.module, binding.node)
        if value is not None and tells_ranks(file.of(caller), value)
    ]
    return bool(given)


def append_broadcast(rule: Rule, site: CallSite, parameter: str, todo: str) -> Diagnosis:
    """Add the broadcasting hook or callback to the list that a call is given."""
    found = f"{site.callee} starts every process from its own initial variables"
    inner = f"{parameter}_list"
    given = site.args.get(parameter)
    if given is None and (site.args.starred or site.args.surplus):
        extend = (
            f"Extend its {parameter} where they are made: npu_{parameter}_append({inner}=[...])."
        )
        return rule.manual(site, found, todo=extend)
    fix = site.fix()
    function = fix.use(_INIT, f"npu_{parameter}_append")
    empty = "hooks_list=[]" if parameter == "hooks" else ""
    if given is None:
        fix.add_argument(site.node, f"{parameter}={function}({empty})")
    elif site.file.literal(given.value) == (None,):
        fix.replace(given.value, f"{function}({empty})")
    elif isinstance(given.value, (ast.List, ast.ListComp)):
        fix.wrap(given.value, f"{function}({inner}=")
    elif isinstance(given.value, (ast.IfExp, ast.Lambda)):
        fix.wrap(given.value, f"{function}({inner}=list((", ") or []))")
    else:
        fix.wrap(given.value, f"{function}({inner}=list(", " or []))")
    done = f"Added the one of {function}() to its {parameter}, which broadcasts rank 0's variables."
    return rule.fixed(site, found, done=done, todo=todo, fix=fix)


def wrap(fix: Fix, node: ast.expr) -> str:
    """Put the wrapper that averages gradients around an optimizer; its spelling."""
    function = fix.use(_INIT, "npu_distributed_optimizer_wrapper")
    fix.wrap(node, f"{function}(")
    return function


def makes_optimizer(file: File, call: ast.Call, base: str = OPTIMIZER) -> bool:
    """Whether a call surely constructs an optimizer: TensorFlow's or a class derived from it."""
    spelled = file.resolver.spelled(file.module, call.func)
    if spelled is not None:
        return types.is_class(spelled) and types.is_a(spelled, base)
    if isinstance(call.func, ast.Attribute) and not _may_name_class(call.func.attr):
        return False
    values = file.resolver.infer(file.module, call.func)
    return bool(values) and all(
        (isinstance(value, Ref) and types.is_class(value.name) and types.is_a(value.name, base))
        or (
            isinstance(value, Class)
            and any(types.is_a(item, base) for item in file.resolver.external_bases(value))
        )
        for value in values
    )


def _may_name_class(attribute: str) -> bool:
    """Whether an attribute is named like a class or an optimizer; all others are methods."""
    return attribute[:1].isupper() or "opt" in attribute.lower()


def is_optimizer_class(file: File, node: ast.ClassDef) -> bool:
    """Whether a class of the project derives from an optimizer of TensorFlow or Keras."""
    return any(
        base.endswith("Optimizer")
        or types.is_a(base, OPTIMIZER)
        or types.is_a(base, KERAS_OPTIMIZER)
        for base in file.resolver.external_bases(Class(file.module, node))
    )


def in_optimizer(file: File, node: ast.AST) -> bool:
    """Whether a node is inside a class of the project that itself is an optimizer."""
    around = class_around(node)
    return around is not None and is_optimizer_class(file, around)


def takes_optimizer(file: File, call: ast.Call) -> bool:
    """Whether one of a call's arguments is an optimizer, which the new one then wraps."""
    return any(_may_be(file, item) for item in values_given(call))


def _may_be(file: File, node: ast.expr) -> bool:
    kinds, _ = file.resolver.kinds(file.module, node)
    return any(
        types.is_a(kind, OPTIMIZER) or kind in ("npu.NPUDistributedOptimizer", "npu.NPUOptimizer")
        for kind in kinds
    )


def is_averaging(file: File, node: ast.expr, depth: int = _MAX_DEPTH) -> bool:
    """Whether an optimizer already averages over the ranks, as far as the file shows."""
    kinds, _ = file.resolver.kinds(file.module, node)
    if any(kind.startswith("npu.") for kind in kinds):
        return True
    if isinstance(node, ast.Call):
        names, _ = file.names(node.func)
        return any(name in WRAPPERS for name in names)
    if not isinstance(node, ast.Name) or depth == 0:
        return False
    values = map(backward.assigned, backward.definitions(node))
    return any(value is not None and is_averaging(file, value, depth - 1) for value in values)


def is_averaged(file: File, call: ast.Call, wrappers: frozenset[str] | None = None) -> bool:
    """Whether a constructed optimizer is handed to a call that makes it average."""
    wanted = WRAPPERS if wrappers is None else wrappers
    around = parent(call)
    if isinstance(around, ast.Call) and _averages(file, file.module, around, wanted):
        return True
    return any(
        _averages(file, use.module, use.call, wanted)
        for use in uses(file.resolver, file.module, call).calls
    )


def _averages(file: File, module: Module, call: ast.Call, wrappers: frozenset[str]) -> bool:
    names, _ = file.resolver.names(module, call.func)
    return any(name in wrappers for name in names)
