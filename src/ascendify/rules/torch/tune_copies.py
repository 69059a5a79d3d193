"""Copy batches to the NPU while the host goes on."""

from __future__ import annotations

import ast
from functools import partial

from ascendify.rules.kit import CallSite, Diagnoses, File, MethodSite, Rule, Status
from ascendify.rules.torch import _release, _together, _tune
from ascendify.source.flow import backward
from ascendify.source.nodes import call_of, last_name, receiver, root_name
from ascendify.source.scopes import Binding

RULE = Rule(
    code="TORCH-TUNE-2",
    title="Copy batches from pinned memory while the host goes on",
    why=(
        "x.to(device) makes the host wait until the copy is done. From pinned memory, "
        "non_blocking=True lets it launch the next operators meanwhile: the device keeps the "
        "order. Only copies of what a DataLoader of torch yields are rewritten, from the host to "
        "the NPU; a copy to the host must wait. Source: the vendor's guide to tuning PyTorch "
        "models, and the pages of PyTorch on pinned memory."
    ),
    statuses=(Status.AUTO, Status.INFO),
    before=(
        "loader = torch.utils.data.DataLoader(dataset, batch_size=8)\n"
        "for images in loader:\n"
        "    images = images.to('npu')"
    ),
    after=(
        "loader = torch.utils.data.DataLoader(dataset, batch_size=8, pin_memory=True)\n"
        "for images in loader:\n"
        "    images = images.to('npu', non_blocking=True)"
    ),
)
_LOADER = "torch.utils.data.DataLoader"
_PASSING_ON = frozenset({"enumerate", "tqdm", "trange", "track", "iter", "items", "values"})
"""Functions and methods whose result yields what their object or first argument yields."""
_MOVES = {"to": 3, "cuda": 2, "npu": 2}
"""Methods that copy, and how many positional arguments include non_blocking."""
_PINS_BY_ITSELF = "2.7"
"""The first PyTorch that pins for the accelerator it finds; older ones have to be told."""


@RULE.call(_LOADER)
def pin(site: CallSite) -> Diagnoses:
    """Pin the memory of batches."""
    args = site.args
    if (
        args.starred
        or args.surplus
        or "pin_memory" in args
        or not _together.once(site.file, _copies)
    ):
        return
    text = "pin_memory=True"
    if not _release.has_torch(site.file, _PINS_BY_ITSELF):
        text += ", pin_memory_device='npu'"
    fix = site.fix()
    fix.add_argument(site.node, text)
    yield _tune.rewrite_or_note(
        RULE,
        site.file,
        site.node,
        f"batches of {site.brief} are not in pinned memory",
        done=f"Added {text}.",
        fix=fix,
    )


def _copies(file: File) -> bool:
    """Whether the program copies batches to the device: then they are made on the host."""
    return any(
        # programs share most of their files
        other.resolver.remembered((_copies_itself, other.module), partial(_copies_itself, other))
        for other in _together.files_with(file, *(f".{name}(" for name in _MOVES))
    )


def _copies_itself(file: File) -> bool:
    """Whether a file copies batches."""
    return any(
        isinstance(call.func, ast.Attribute)
        and _is_batch(file, call.func)
        and _is_to_device(file, call)
        for name in _MOVES
        for call in file.module.index.calls_by_name.get(name, ())
    )


def _waits(node: ast.Attribute) -> bool:
    """Whether a call says nothing about waiting: ``x.to(device)``, ``x['label'].cuda()``."""
    call = call_of(node)
    return (
        call is not None
        and not any(keyword.arg in (None, "non_blocking") for keyword in call.keywords)
        and not any(isinstance(item, ast.Starred) for item in call.args)
        and len(call.args) < _MOVES[node.attr]
    )


@RULE.method(*_MOVES, where=_waits)
def copy_meanwhile(site: MethodSite) -> Diagnoses:
    """Let the host go on while a batch is copied to the device."""
    call = site.call
    if call is None or not _is_batch(site.file, site.node) or not _is_to_device(site.file, call):
        return
    fix = site.fix()
    fix.add_argument(call, "non_blocking=True")
    yield _tune.rewrite_or_note(
        RULE,
        site.file,
        call,
        f"the host waits while {site.file.brief(call)} copies",
        done="Added non_blocking=True.",
        fix=fix,
    )


def _is_to_device(file: File, call: ast.Call) -> bool:
    """Whether the copy goes to a device, and not to the host or to another type."""
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    if not given:
        return getattr(call.func, "attr", "") != "to"
    literal = file.literal(given[0])
    if literal is not None:
        return not all(str(value).startswith("cpu") for value in literal)
    return not (file.name(given[0]) or "").startswith("torch.") and not file.is_a(
        given[0], "torch.Tensor"
    )


def _is_batch(file: File, node: ast.Attribute) -> bool:
    """Whether the object is what a DataLoader yields, or a part of it."""
    owner: ast.expr = node.value
    while isinstance(owner, ast.Subscript):
        owner = owner.value
    name = root_name(owner)
    return name is not None and _comes_from_loader(file, name)


def _comes_from_loader(file: File, name: ast.Name, depth: int = 3) -> bool:
    found = backward.definitions(name)
    return len(found) == 1 and depth > 0 and _yields_batches(file, found[0], depth)


def _yields_batches(file: File, binding: Binding, depth: int) -> bool:
    value: ast.expr | None = binding.value
    if binding.kind == "assign" and isinstance(value, (ast.Name, ast.Subscript)):
        # ``images, labels = batch``, ``images = batch[0]``
        while isinstance(value, ast.Subscript):
            value = value.value
        return isinstance(value, ast.Name) and _comes_from_loader(file, value, depth - 1)
    if binding.kind != "iter" or value is None:
        return False
    while isinstance(value, ast.Call) and not file.is_a(value, _LOADER):
        if last_name(value.func) not in _PASSING_ON:
            return False
        inner = value.args[0] if value.args else receiver(value)
        if inner is None:
            return False
        value = inner
    if file.is_a(value, _LOADER):
        return True
    return isinstance(value, ast.Name) and _comes_from_loader(file, value, depth - 1)
