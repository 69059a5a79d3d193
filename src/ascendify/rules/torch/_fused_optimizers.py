"""Which optimizers those of torch_npu can replace: the same update, for all parameters at once.

They move the gradients of all parameters into one block of memory in the first step and clear them
there. So every parameter needs its gradient in every step, and nothing may put another tensor in
its place.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from ascendify.catalog import signatures
from ascendify.rules.kit import Argument, CallSite, File
from ascendify.rules.torch import _together
from ascendify.source.flow import backward
from ascendify.source.nodes import is_literal, keyword_value, last_name
from ascendify.source.scopes import parent

FUSED: Mapping[str, str] = {
    "torch.optim.SGD": "NpuFusedSGD",
    "torch.optim.Adam": "NpuFusedAdam",
    "torch.optim.AdamW": "NpuFusedAdamW",
    "torch.optim.Adadelta": "NpuFusedAdadelta",
    "torch.optim.RMSprop": "NpuFusedRMSprop",
}
"""Optimizers of torch, and those of torch_npu.optim with the same update."""
IMPLEMENTATION = frozenset({"foreach", "fused", "capturable"})
"""Arguments that only choose between implementations of the same update."""
_SWITCHES = frozenset({"maximize", "differentiable", "decoupled_weight_decay"})
"""Arguments that the fused optimizers behave as if they were False."""
_OPTIMIZER = "torch.optim.Optimizer"
_WRAPPERS = {
    "accelerate": "accelerate clears gradients by setting them to None",
    "deepspeed": "DeepSpeed has optimizers of its own",
    "fairscale": "fairscale keeps gradients in its own memory",
    "lightning": "Lightning decides how gradients are cleared",
    "pytorch_lightning": "Lightning decides how gradients are cleared",
}
_SHARDED = (
    "torch.distributed.fsdp.*",
    "torch.distributed.optim.ZeroRedundancyOptimizer",
    "torch.distributed._composable.fsdp.*",
)
_OTHER_TYPES = ("torch.bfloat16", "torch.float64", "torch.double")
_WORDS = (
    "zero_grad", ".step(", "add_param_group", "grad", "bfloat16", "double", "float64", "cpu",
    "find_unused_parameters", "gradient_as_bucket_view", "fsdp", "FullyShardedDataParallel",
    "fully_shard", "ZeroRedundancyOptimizer", "sparse", *_WRAPPERS,
)  # fmt: skip
_OPTIMIZER_NAME = re.compile(r"opt", re.I)


def conflict(site: CallSite) -> str:
    """Why the fused optimizer cannot take the place of a call; empty where nothing is seen."""
    return next(_of_arguments(site), "") or next(_of_program(site.file), "")


def is_replaced(site: CallSite) -> bool:
    """Whether ``--tune`` replaces an optimizer."""
    return site.file.facts.tune and not conflict(site)


def is_used(file: File) -> bool:
    """Whether an optimizer of the program is replaced."""
    return any(
        is_replaced(site)
        for other in _together.files_with(file, "optim")
        for site in other.calls(*FUSED)
    )


def superfluous(site: CallSite) -> list[Argument]:
    """The arguments that the fused optimizer does not have and that change no number."""
    droppable = IMPLEMENTATION | _SWITCHES
    return [
        Argument(keyword.arg or "", keyword.value, keyword)
        for keyword in site.node.keywords
        if keyword.arg is None or keyword.arg in droppable
    ]


def _of_arguments(site: CallSite) -> Iterator[str]:
    """What the call asks for that the fused optimizer does not have."""
    if isinstance(site.node.func, ast.Call):
        yield "the function that returns the class may add arguments"
    known = signatures.signature(f"torch_npu.optim.{FUSED[site.name]}")
    taken = set(known.positional if known is not None else ())
    if any(isinstance(item, ast.Starred) for item in site.node.args) or site.args.surplus:
        yield "what its arguments with * are is not visible"
    for argument in site.args:
        name = argument.name
        if name in taken or name in IMPLEMENTATION:
            continue
        if not (name in _SWITCHES and is_literal(argument.value, False)):
            yield f"torch_npu.optim.{FUSED[site.name]} has no {name}"
    for keyword in site.node.keywords:
        keys = () if keyword.arg is not None else _keys(site.file, keyword.value)
        if keys is None:
            yield f"what **{site.file.brief(keyword.value)} passes is not visible"
    if site.name == "torch.optim.SGD" and "lr" not in site.args:
        yield "it has no learning rate, which torch_npu.optim.NpuFusedSGD needs"


def _keys(file: File, node: ast.expr) -> set[str] | None:
    """The keys of a dictionary that only choose an implementation; None where it may have others.

    Such as ``dict(fused=True) if use_fused else dict()``.
    """
    if isinstance(node, ast.IfExp):
        both = _keys(file, node.body), _keys(file, node.orelse)
        return None if both[0] is None or both[1] is None else both[0] | both[1]
    if isinstance(node, ast.Name):
        found = [backward.assigned(item) for item in backward.bindings(node)]
        keys = [None if value is None else _keys(file, value) for value in found]
        return None if None in keys or not keys else set().union(*(item or () for item in keys))
    if isinstance(node, ast.Dict):
        names = {getattr(key, "value", None) for key in node.keys}
    elif isinstance(node, ast.Call) and file.name(node.func) == "builtins.dict" and not node.args:
        names = {keyword.arg for keyword in node.keywords}
    else:
        return None
    return {str(name) for name in names} if names <= IMPLEMENTATION else None


def _of_program(file: File) -> Iterator[str]:
    """What the program does with gradients that the fused optimizers do not allow."""
    yield from file.once(_conflicts_around)


def _conflicts_around(file: File) -> list[str]:
    for other in _together.files_with(file, *_WORDS):
        found = next(_conflicts(other), None)
        if found is not None:
            place, reason = found
            where = "line" if other.path == file.path else f"{other.path} line"
            return [f"{reason} ({where} {getattr(place, 'lineno', 1)})"]
    return []


def _conflicts(file: File) -> Iterator[tuple[ast.AST, str]]:
    index = file.module.index
    for package, reason in _WRAPPERS.items():
        if package in index.import_roots:
            yield file.module.tree, reason
    for site in file.references(*_SHARDED):
        yield site.node, f"{site.text} divides parameters among ranks"
    for store in index.stores:
        value = getattr(parent(store), "value", None)
        if store.attr == "grad":
            yield store, f"{file.brief(store)} is given another tensor"
        elif store.attr == "requires_grad" and not is_literal(value, False):
            yield store, f"{file.brief(store)} is switched on, so gradients may come later"
    for call in index.calls:
        reason = _of_call(file, call) or _of_method(file, call)
        if reason:
            yield call, reason


def _clears_model(file: File, call: ast.Call) -> bool:
    """Whether ``x.zero_grad()`` clears the gradients of a model and not of an optimizer."""
    if not isinstance(call.func, ast.Attribute):
        return False
    owner = call.func.value
    if file.is_a(owner, _OPTIMIZER):
        return False
    return bool(file.is_a(owner, "torch.nn.Module")) or not _OPTIMIZER_NAME.search(file.text(owner))


def _of_call(file: File, call: ast.Call) -> str:
    """Why a call makes gradients come and go, or keeps them elsewhere."""
    name = last_name(call.func)
    for argument in ("find_unused_parameters", "gradient_as_bucket_view", "create_graph"):
        if is_literal(keyword_value(call, argument), True):
            return f"{argument}=True: not every gradient stays in its place"
    if name in ("Embedding", "EmbeddingBag") and is_literal(keyword_value(call, "sparse"), True):
        return "sparse=True makes sparse gradients"
    if name == "zero_grad" and _clears_model(file, call):
        return f"{file.brief(call)} sets gradients to None"
    if name == "step" and call.args and _OPTIMIZER_NAME.search(file.text(call.func)):
        return f"{file.brief(call)} runs its closure without gradients there"
    if name == "add_param_group":
        return f"{file.brief(call)} adds parameters later"
    if name == "requires_grad_" and not any(is_literal(item, False) for item in call.args):
        return f"{file.brief(call)} is switched on, so gradients may come later"
    return ""


def _of_method(file: File, call: ast.Call) -> str:
    """Why a method of a model changes the type or the place of its parameters."""
    name = last_name(call.func)
    if name not in ("bfloat16", "double", "to", "cpu") or not isinstance(call.func, ast.Attribute):
        return ""
    model = file.is_a(call.func.value, "torch.nn.Module")
    if name in ("bfloat16", "double") and model is not False and not call.args:
        return f"{file.brief(call)}: parameters must be float32 or float16"
    if name == "to" and model:
        given = [*call.args, *(keyword.value for keyword in call.keywords)]
        if any(file.name(item) in _OTHER_TYPES for item in given):
            return f"{file.brief(call)}: parameters must be float32 or float16"
    if name == "cpu" and model:
        return f"{file.brief(call)} puts the parameters elsewhere"
    return ""
