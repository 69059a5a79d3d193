"""CTC in a project: where its loss is computed, and how many frames it aligns labels with."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ascendify.rules.helpers import CTC
from ascendify.rules.kit import CallSite, File, Fix
from ascendify.rules.kit.bindings import values
from ascendify.rules.tf1._same_process import together
from ascendify.source.nodes import attributes, root_name
from ascendify.source.scopes import scope_of

LOSSES = ("tf.nn.ctc_loss", f"{CTC}.ctc_loss")
"""The loss with sparse labels, before and after migration."""
DECODERS = (
    "tf.nn.ctc_beam_search_decoder",
    "tf.nn.ctc_beam_search_decoder_v2",
    "tf.nn.ctc_greedy_decoder",
    "tf.edit_distance",
)
"""Functions that decode labels from a network's output, and those that compare labels."""
_NAMES = tuple(name.rpartition(".")[2] for name in (*LOSSES, *DECODERS))
_CALLED = (*LOSSES, *DECODERS, *(f"{CTC}.{name}" for name in _NAMES))
"""Decoders -> their replacements in the helper module."""
_ONES = ("numpy.ones", "numpy.ones_like", "tf.ones", "tf.ones_like")
_FILLED = {"numpy.full": 1, "tf.fill": 1, "numpy.repeat": 0, "tf.tile": 0, "numpy.tile": 0}
"""Functions that repeat one number, and the place of that number."""
_SAME = ("numpy.array", "numpy.asarray", "tf.constant", "tf.cast", "tf.to_int32",
         "tf.convert_to_tensor", "tf.identity", "numpy.int32", "numpy.int64")  # fmt: skip
"""Functions whose first argument has the numbers of their result."""
_DEPTH = 6


def runs_on_release_1(file: File) -> bool:
    """Whether a file is for TensorFlow 1, which the helper module is written for."""
    return file.facts.releases.get(file.path, "tf1") == "tf1"


def is_mixed(file: File) -> bool:
    """Whether sessions get mixed computing, without which nothing of a graph is on the host."""
    return str(file.facts.npu_options.get("mix_compile_mode", "")).lower() == "true"


def losses(file: File) -> Iterator[CallSite]:
    """Calls of the loss in the programs that a file belongs to."""
    for module in together(file, "ctc_loss"):
        yield from file.of(module).calls(*LOSSES)


def is_used(file: File) -> bool:
    """Whether the programs that a file belongs to compute the loss, or decode."""
    return any(
        next(iter(file.of(module).calls(*_CALLED)), None) is not None
        for module in together(file, *_NAMES)
    )


def cuts_longer(file: File) -> bool:
    """Whether a loss ignores labels that are longer than its frames."""
    given = (loss.args.value("ignore_longer_outputs_than_inputs") for loss in losses(file))
    return any(value is not None and file.literal(value) != (False,) for value in given)


def frames(file: File, fix: Fix, at: ast.AST) -> str | None:
    """An expression for this file that gives the number of frames of every sequence.

    Known where the sequence lengths of all losses repeat one number, which is a literal or a
    setting of another file. CTC gives each frame one label at most, so no label is longer.
    """
    found: set[str] = set()
    for loss in losses(file):
        lengths = loss.args.value("sequence_length")
        number = None if lengths is None else _repeated(loss.file, lengths, _DEPTH)
        if number is None:
            return None
        found.add(_spelled(loss.file, number, file, fix, at) or "")
    only = found.pop() if len(found) == 1 else ""
    return only or None


def _repeated(file: File, node: ast.expr, depth: int) -> ast.expr | None:
    """The number that an array repeats throughout."""
    if depth == 0:
        return None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        for array, number in ((node.left, node.right), (node.right, node.left)):
            if isinstance(array, ast.Call) and file.name(array.func) in _ONES:
                return number
            if isinstance(array, ast.List):
                return _repeated(file, array, depth)
        return None
    if isinstance(node, ast.List):
        texts = {ast.dump(item) for item in node.elts}
        return node.elts[0] if len(texts) == 1 else None
    if isinstance(node, ast.ListComp):
        names = {item.id for item in ast.walk(node.elt) if isinstance(item, ast.Name)}
        bound = {
            item.id
            for generator in node.generators
            for item in ast.walk(generator.target)
            if isinstance(item, ast.Name)
        }
        return None if names & bound else node.elt
    if isinstance(node, ast.Call):
        return _of_call(file, node, depth)
    known = values(file, node)
    return _repeated(file, known[0], depth - 1) if len(known) == 1 else None


def _of_call(file: File, call: ast.Call, depth: int) -> ast.expr | None:
    if isinstance(call.func, ast.Attribute) and call.func.attr == "astype":
        return _repeated(file, call.func.value, depth - 1)
    name = file.name(call.func)
    if name in _FILLED and len(call.args) > _FILLED[name]:
        number = call.args[_FILLED[name]]
        return _repeated(file, number, depth - 1) if isinstance(number, ast.List) else number
    if name in _SAME and call.args:
        return _repeated(file, call.args[0], depth - 1)
    return None


def _spelled(source: File, node: ast.expr, target: File, fix: Fix, at: ast.AST) -> str | None:
    """An expression of one file, as it must be written in another file."""
    if source.module is target.module and _is_global(node):
        return source.text(node)
    origin = _origin(source, node, _DEPTH)
    if origin is not None:
        known = _known_as(target, origin, at)
        if known is not None:
            return known
        imported = _imported(source, node, target, fix)
        if imported is not None:
            return imported
    literal = source.literal(node)
    if literal is not None and len(literal) == 1 and type(literal[0]) is int:
        return str(literal[0])
    return None


def _is_global(node: ast.expr) -> bool:
    """Whether an expression is a chain that begins at a name of the module."""
    start = root_name(node)
    scope = None if start is None else scope_of(start).find(start.id)
    return scope is not None and scope.kind == "module"


def _origin(file: File, node: ast.expr, depth: int) -> str | None:
    """The dotted name of a setting, from where it is imported: ``config.settings.LENGTH``."""
    start = root_name(node)
    if start is None or depth == 0 or not _is_global(node):
        return None
    bound = file.module.index.module.bindings[start.id]
    if len(bound) != 1:
        return None
    if bound[0].kind == "import":
        first: str | None = bound[0].origin
    elif bound[0].value is not None and not bound[0].path:
        first = _origin(file, bound[0].value, depth - 1)
    else:
        first = None
    return None if first is None else ".".join((first, *attributes(node)))


def _known_as(file: File, origin: str, at: ast.AST) -> str | None:
    """The spelling of a dotted origin with names that a file has already."""
    best: tuple[int, str] | None = None
    for name, bound in file.module.index.module.bindings.items():
        if len(bound) != 1 or scope_of(at).find(name) is not file.module.index.module:
            continue
        if bound[0].kind == "import":
            known: str | None = bound[0].origin
        elif bound[0].value is not None and not bound[0].path:
            known = _origin(file, bound[0].value, _DEPTH)
        else:
            continue
        if known and origin.startswith(f"{known}.") and (best is None or len(known) > best[0]):
            best = (len(known), name + origin[len(known) :])
    return None if best is None else best[1]


def _imported(source: File, node: ast.expr, target: File, fix: Fix) -> str | None:
    """The spelling of a setting after an import of its module, where that makes no circle."""
    start = root_name(node)
    bound = [] if start is None else source.module.index.module.bindings[start.id]
    origin = bound[0].origin if bound and bound[0].kind == "import" else ""
    if not origin or origin.startswith("."):
        return None
    project = target.resolver.project
    located = project.locate(target.path, origin)
    path = None if located is None else located[0]
    if path is None or path == target.path or _leads_to(target, path):
        return None
    module, _, name = origin.rpartition(".")
    home = fix.use(module, name) if module else fix.use(origin)
    return ".".join((home, *attributes(node)))


def _leads_to(target: File, path: str) -> bool:
    """Whether a module imports a file, directly or through others."""
    project = target.resolver.project
    pending, seen = [path], {path}
    while pending:
        module = project.module(pending.pop())
        for other in () if module is None else project.imported(module):
            if other.path == target.path:
                return True
            if other.path not in seen:
                seen.add(other.path)
                pending.append(other.path)
    return False
