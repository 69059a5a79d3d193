"""Elements of training data whose size is open: report where they come from."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ascendify.rules.kit import CallSite, Diagnoses, File, Rule, Status
from ascendify.rules.kit.tests import outside_tests
from ascendify.rules.tensorflow.purposes import Purpose, purpose
from ascendify.rules.tf2._shards import endings
from ascendify.source.flow import backward
from ascendify.source.module import Module
from ascendify.source.nodes import function_around, is_literal, is_minus_one, last_name, string
from ascendify.source.scopes import parent
from ascendify.source.values import Function

RULE = Rule(
    code="TF2-SHAPE-2",
    title="Give every element of training data a fixed shape",
    why=(
        "A dataset whose elements differ in size, or whose size TensorFlow does not know, makes "
        "the training function compile for unknown shapes, which is slow on an NPU."
    ),
    statuses=(Status.MANUAL,),
    foretells=("EMU-SHAPE-1", "EMU-SHAPE-2"),
    before="train_ds = dataset.padded_batch(32, padded_shapes=[None], drop_remainder=True)",
)

_PYTHON = ("tf2.py_function", "tf2.numpy_function")
_FIXED = frozenset({"set_shape", "ensure_shape", "reshape", "random_crop"})
_SETTERS = _FIXED | {
    "resize", "resize_with_crop_or_pad", "resize_with_pad", "crop_to_bounding_box",
    "pad_to_bounding_box", "crop_and_resize",
}  # fmt: skip
"""Calls that give a tensor a known shape; the latter keep an unknown number of channels."""
_DECODERS = tuple(
    f"tf2.{module}.decode_{name}"
    for module in ("io", "image")
    for name in ("png", "jpeg", "image", "bmp", "gif")
)


@RULE.call("tf2.data.Dataset.from_generator")
@outside_tests
def report_generator(site: CallSite) -> Diagnoses:
    """``from_generator`` without shapes, or with open ones besides that of the batch."""
    shapes = site.args.value("output_shapes") or site.args.value("output_signature")
    open_one = None if shapes is None else _open_shape(shapes)
    made_open = None if shapes is None or open_one is not None else _made_open(site.file, shapes)
    if site.args.starred or (shapes is not None and open_one is None and made_open is None):
        return
    if purpose(site.file, site.node) is Purpose.EVAL:
        return
    around = function_around(site.node) or site.file.module.tree
    if _mentions(around, frozenset({"padded_batch"})):
        return  # pads them to one size, or has its own finding
    how = "does not state the shapes of its elements"
    if open_one is not None:
        how = f"leaves {site.file.brief(open_one, 40)} open"
    elif made_open is not None:
        module, open_one = made_open
        what = site.file.of(module).brief(open_one, 40)
        how = f"gets shapes that leave {what} open (line {open_one.lineno} of {module.path})"
    finding = RULE.manual(
        site,
        f"{site.callee} {how}",
        todo=(
            "Give it output_signature= with the full shape of every part of an element, no None "
            "among its dimensions; pad or crop elements of different sizes before."
        ),
    )
    yield finding.as_possible() if _mentions(around, _SETTERS) else finding


@RULE.call("tf2.data.Dataset.padded_batch")
@outside_tests
def report_padding(site: CallSite) -> Diagnoses:
    """``padded_batch(n, padded_shapes=[None])`` pads to the longest element of each batch."""
    shapes = site.args.value("padded_shapes")
    if shapes is None or purpose(site.file, site.node) is Purpose.EVAL:
        return
    open_one = _open_shape(shapes)
    if open_one is not None:
        yield RULE.manual(
            site,
            f"{site.callee} pads {site.file.brief(open_one, 40)} to the longest element of each "
            "batch, so batches differ in size",
            todo="Write the longest length of all elements in the place of None.",
        )


@RULE.call("tf2.data.Dataset.bucket_by_sequence_length")
@outside_tests
def report_buckets(site: CallSite) -> Diagnoses:
    """Buckets have batches of several sizes."""
    if purpose(site.file, site.node) is Purpose.EVAL:
        return
    yield RULE.manual(
        site,
        f"{site.callee} makes batches of several sizes, and the step is compiled for each",
        todo=(
            "Pad all elements to one length with padded_batch(), or give few boundaries, "
            "pad_to_bucket_boundary=True and one batch size: a compiled step for each bucket."
        ),
    )


@RULE.call(*_PYTHON)
@outside_tests
def report_python(site: CallSite) -> Diagnoses:
    """A Python function in ``Dataset.map`` gives tensors of unknown shape."""
    yield from _in_map(
        site,
        _SETTERS,
        f"{site.callee} gives tensors of unknown shape",
        "Call set_shape with the full shape on every tensor that it gives.",
    )


@RULE.call(*_DECODERS)
@outside_tests
def report_pictures(site: CallSite) -> Diagnoses:
    """Pictures that ``Dataset.map`` decodes and does not bring to one size."""
    channels = site.args.value("channels")
    if channels is None or site.file.literal(channels) == (0,):
        yield from _in_map(
            site,
            _FIXED,
            f"{site.callee} gives pictures of any number of channels",
            "Give it channels=3, or 1, and bring the pictures to one size.",
        )
        return
    yield from _in_map(
        site,
        _SETTERS,
        f"{site.callee} gives pictures of any size",
        "Bring them to one size with tf.image.resize, or call set_shape where they have one.",
    )


def _in_map(site: CallSite, setters: frozenset[str], found: str, todo: str) -> Diagnoses:
    """Tell about a call in a function that training data is mapped with, and that sets no shape."""
    file, function = site.file, function_around(site.node)
    if function is None or isinstance(function, ast.Lambda) or _mentions(function, setters):
        return
    mapped, certain = _mapped(file, function)
    if mapped is None:
        return
    finding = RULE.manual(site, f"{found} to the dataset that {function.name} maps", todo=todo)
    later = [
        item.args[0] for item in endings(mapped) if last_name(item.func) == "map" and item.args
    ]
    others = list(_functions(file, later)) + list(_functions(file, _callees(function)))
    if any(_mentions(other, setters) for other in others):
        return
    yield finding.as_possible() if later or others or not certain else finding


def _callees(function: ast.AST) -> list[ast.expr]:
    """The functions that a function calls."""
    return [item.func for item in ast.walk(function) if isinstance(item, ast.Call)]


def _functions(file: File, nodes: list[ast.expr]) -> Iterator[ast.AST]:
    """The functions of the project among some expressions."""
    for node in nodes:
        if isinstance(node, ast.Lambda):
            yield node
        for value in file.resolver.infer(file.module, node):
            if isinstance(value, Function):
                yield value.node


@RULE.call("tf2.keras.layers.TextVectorization")
@outside_tests
def report_texts(site: CallSite) -> Diagnoses:
    """Report texts, which are as long as the longest of each batch unless a length is given."""
    mode, length = (site.args.value(name) for name in ("output_mode", "output_sequence_length"))
    given = length is not None and not is_literal(length, None)
    if given or site.args.starred or (mode is not None and string(mode) not in ("int", None)):
        return
    yield RULE.manual(
        site,
        f"{site.callee} makes texts as long as the longest one of each batch",
        todo="Give it output_sequence_length=, the length to pad and cut all texts to.",
    )


def _mentions(node: ast.AST, methods: frozenset[str]) -> bool:
    return any(isinstance(item, ast.Attribute) and item.attr in methods for item in ast.walk(node))


def _mapped(
    file: File, function: ast.FunctionDef | ast.AsyncFunctionDef
) -> tuple[ast.Call | None, bool]:
    """The call that maps training data with a function, and whether it never maps with another."""
    value = Function(file.module, function)
    for call in file.module.index.calls_by_name.get("map", ()):
        given = call.args[0] if call.args else None
        values = () if given is None else file.resolver.infer(file.module, given)
        if value in values and purpose(file, call) is not Purpose.EVAL:
            return call, len(values) == 1
    return None, False


def _open_shape(node: ast.expr) -> ast.expr | None:
    """The first shape that is written out and leaves a dimension open."""
    for item in ast.walk(node):
        if not isinstance(item, (ast.List, ast.Tuple)) or not all(map(_is_dimension, item.elts)):
            continue
        if any(map(_is_open, item.elts)):
            return item
    return None


def _made_open(file: File, shapes: ast.expr) -> tuple[Module, ast.expr] | None:
    """The first open shape in a function of the project that makes what shapes are read from."""
    for name in ast.walk(shapes):
        value = backward.only_value(name) if isinstance(name, ast.Name) else None
        call = value if isinstance(value, ast.Call) else None
        for made in () if call is None else file.resolver.infer(file.module, call.func):
            if not isinstance(made, Function):
                continue
            for item in ast.walk(made.node):
                held = parent(item)
                if isinstance(held, ast.Assign) and not isinstance(held.targets[0], ast.Name):
                    continue  # first, second = None, None
                open_one = _open_shape(item) if isinstance(item, (ast.Tuple, ast.List)) else None
                # a shape in a table, or one that is put together, and no list of results
                if open_one is item and isinstance(
                    held, (ast.Dict, ast.Assign, ast.BinOp, ast.Call, ast.keyword)
                ):
                    return made.module, open_one
    return None


def _is_dimension(node: ast.expr) -> bool:
    number = isinstance(node, ast.Constant) and isinstance(node.value, int)
    return number or _is_open(node) or isinstance(node, (ast.Name, ast.Attribute))


def _is_open(node: ast.expr) -> bool:
    return is_literal(node, None) or is_minus_one(node)
