"""Input data of TensorFlow 2 programs: tensorflow_datasets, arrays, training switches."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, File
from ascendify.rules.tensorflow import purposes
from ascendify.rules.tensorflow.purposes import Purpose, is_switch, purpose, said
from ascendify.source.flow import backward
from ascendify.source.flow.forward import reads
from ascendify.source.inference.parameters import default
from ascendify.source.nodes import (
    assigned_name,
    call_of,
    function_around,
    functions_around,
    last_name,
    only_target,
    receiver,
    string,
)
from ascendify.source.scopes import FunctionNode, ancestors, parent, statement
from ascendify.source.values import Const, Function

FLOWS = tuple(
    f"tf2.keras.preprocessing.image.ImageDataGenerator.{name}"
    for name in ("flow", "flow_from_directory", "flow_from_dataframe")
)
"""Methods of Keras' generator of images that make batches."""
_CATALOGUE = "tensorflow_datasets."
_LOADED = frozenset({"load", "as_dataset", "load_dataset"})
_ARRAY_METHODS = frozenset(
    {
        "astype", "reshape", "copy", "transpose", "squeeze", "flatten", "ravel", "clip", "repeat",
        "swapaxes", "to_numpy", "view",
    }
)  # fmt: skip
"""Methods of an array that give one with as many rows, or whose rows are not of interest."""
_ARRAY_MODULES = ("numpy.", "sklearn.model_selection.train_test_split", "scipy.io.")
_LOADERS = ("tf2.keras.datasets.", "tf.keras.datasets.")
_NOT_ARRAYS = ("numpy.save", "numpy.random.seed", "numpy.shape", "numpy.ndim", "numpy.unique")
_DEPTH = 8


def is_of_catalogue(file: File, node: ast.expr) -> bool:
    """Whether a dataset comes from tensorflow_datasets, as far as the file shows."""
    return catalogue_call(file, node) is not None


def catalogue_call(file: File, node: ast.expr) -> ast.Call | None:
    """The call of tensorflow_datasets that loads a dataset; None if there is none."""
    current: ast.expr | None = node
    for _ in range(20):
        if isinstance(current, ast.Call):
            if _loads(file, current):
                return current
            current = receiver(current)
        elif isinstance(current, ast.Subscript):
            current = current.value
        elif isinstance(current, ast.Name):
            current = _only_value(current)
        else:
            return None
    return None


def is_batched_again(file: File, call: ast.Call, depth: int = _DEPTH) -> bool:
    """Whether the batches that a call makes are taken apart again, in its chain or later.

    Those that a function returns are, if every visible caller takes them apart.
    """
    target = assigned_name(call)
    places = [call] if target is None else [call, *reads(target)]
    owners = [parent(item) for item in places]
    if any(
        isinstance(item, ast.Attribute) and item.attr in ("unbatch", "rebatch") for item in owners
    ):
        return True
    function = function_around(call)
    returned = any(isinstance(item, ast.Return) for item in owners)
    if depth == 0 or not returned or not isinstance(function, ast.FunctionDef):
        return False
    callers = file.resolver.callers(Function(file.module, function))
    return bool(callers) and all(
        module is file.module and is_batched_again(file, caller, depth - 1)
        for module, caller, _ in callers
    )


def loaded_batch(site: CallSite) -> ast.expr | None:
    """The batch size that ``tfds.load`` gets for training data.

    None where it gives single samples, all of them in one batch (-1), or evaluation's.
    """
    given = {item.arg: item.value for item in site.node.keywords}
    size, split = given.get("batch_size"), given.get("split")
    if size is None or site.file.text(size) in ("None", "-1"):
        return None
    named = None if split is None else said(string(split) or "")
    serves = named or purpose(site.file, site.node)
    return None if serves is Purpose.EVAL else size


def _loads(file: File, call: ast.Call) -> bool:
    names, _ = file.names(call.func)
    if any(name.startswith(_CATALOGUE) for name in names):
        return getattr(call.func, "attr", "") in _LOADED
    built = receiver(call)
    if getattr(call.func, "attr", "") != "as_dataset" or not isinstance(built, ast.Name):
        return False
    made = _only_value(built)
    return isinstance(made, ast.Call) and any(
        name.startswith(_CATALOGUE) for name in file.names(made.func)[0]
    )


def _only_value(name: ast.Name) -> ast.expr | None:
    """The value of the only assignment that reaches a name, as a whole or unpacked."""
    found = backward.definitions(name)
    return backward.unpacked(found[0])[0] if len(found) == 1 else None


def training_switch(file: File, node: ast.AST) -> str | None:
    """What is True in training only, for the code at a node: ``is_training``, ``not is_eval``.

    A parameter of a function around it that is a bool wherever it is visibly given, or the
    comparison of a branch there: ``mode == 'train'``.
    """
    for function in functions_around(node):
        for argument in (*function.args.args, *function.args.kwonlyargs):
            meant = said(argument.arg) if is_switch(argument.arg) else None
            if meant in (Purpose.TRAIN, Purpose.EVAL) and _is_bool(file, function, argument):
                return argument.arg if meant is Purpose.TRAIN else f"not {argument.arg}"
    test = purposes.training_switch(node)
    return file.text(test) if isinstance(test, ast.Compare) else None


def _is_bool(file: File, function: FunctionNode, argument: ast.arg) -> bool:
    if any(_assigns(item, argument.arg) for item in ast.walk(function)):
        return False
    usual = default(function.args, argument)
    values = [] if usual is None else [isinstance(getattr(usual, "value", None), bool)]
    for value in backward.passed_values(file.resolver, file.module, argument):
        values.append(isinstance(value, Const) and isinstance(value.value, bool))
    annotation = argument.annotation
    values += [True] if isinstance(annotation, ast.Name) and annotation.id == "bool" else []
    return bool(values) and all(values)


def _assigns(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store)


def is_array(file: File, node: ast.expr, depth: int = _DEPTH) -> bool:
    """Whether an expression surely is an array: made by numpy or one of Keras' datasets."""
    if depth == 0:
        return False
    if isinstance(node, ast.Name):
        found = [backward.unpacked(item) for item in backward.definitions(node)]
        return bool(found) and all(
            value is not None
            and (not path or _unpacks(file, value))
            and is_array(file, value, depth - 1)
            for value, path in found
        )
    if isinstance(node, ast.Subscript):
        return is_array(file, node.value, depth - 1)
    if isinstance(node, ast.BinOp):
        return is_array(file, node.left, depth - 1) or is_array(file, node.right, depth - 1)
    if isinstance(node, ast.Call):
        return _makes_array(file, node, depth)
    return False


def _unpacks(file: File, node: ast.expr) -> bool:
    """Whether a call gives several arrays at once."""
    name = file.name(node.func) if isinstance(node, ast.Call) else None
    return name is not None and (name.startswith(_LOADERS) or "train_test_split" in name)


def _makes_array(file: File, call: ast.Call, depth: int) -> bool:
    name = file.name(call.func) or ""
    if name.startswith(_NOT_ARRAYS):
        return False
    if name.startswith(_ARRAY_MODULES) or name.startswith(_LOADERS):
        return True
    if name in ("tf2.keras.utils.to_categorical", "tf2.keras.utils.pad_sequences"):
        return True
    owner = receiver(call)
    is_method = owner is not None and getattr(call.func, "attr", "") in _ARRAY_METHODS
    return is_method and owner is not None and is_array(file, owner, depth - 1)


_STEPS = frozenset(
    {
        "map", "prefetch", "cache", "shuffle", "repeat", "take", "skip", "apply", "with_options",
        "enumerate", "filter", "unbatch", "shard", "interleave", "flat_map", "concatenate",
    }
)  # fmt: skip
"""Methods of a dataset that give another one."""
_COLLECTORS = frozenset({"list", "tuple", "set", "adapt", "next", "len", "sorted", "dict"})
"""Calls that read a whole dataset or one batch of it, and train nothing."""
_VOCABULARY = ("vocab", "tokenizer")


def is_collected(file: File, node: ast.expr) -> bool:
    """Whether a dataset is only read into Python or a vocabulary, so that every sample counts."""
    last = _last_step(node)
    if last is None or _is_collector(file, last):
        return True
    target = assigned_name(last)
    if target is None:
        return False
    own = statement(target)
    later = [
        read for read in reads(target) if read.lineno > target.lineno and statement(read) is not own
    ]
    return bool(later) and all(is_collected(file, read) for read in later)


def _last_step(node: ast.expr) -> ast.expr | None:
    """The end of the chain of methods a dataset is part of; None where it ends in Python."""
    while isinstance(around := parent(node), ast.Attribute):
        call = call_of(around)
        if call is None or around.attr not in _STEPS:
            return None if around.attr == "as_numpy_iterator" else node
        node = call
    return node


def _is_collector(file: File, node: ast.expr) -> bool:
    around = parent(node)
    if isinstance(around, ast.comprehension):
        return around.iter is node
    if isinstance(around, ast.keyword):
        around = parent(around)
    if not isinstance(around, ast.Call) or around.func is node:
        return False
    last = last_name(around.func)
    if last in _COLLECTORS or any(word in last.lower() for word in _VOCABULARY):
        return True
    return (file.name(around.func) or "").startswith("numpy.")


def feeds_training_loop(node: ast.expr) -> bool:
    """Whether a loop over a dataset takes training steps: ``for x, y in ds: train_step(x, y)``."""
    last = _last_step(node)
    places = [] if last is None else [last]
    target = None if last is None else assigned_name(last)
    places += [] if target is None else list(reads(target))
    return any(
        _trains(item) for place in places for item in ancestors(place) if _loops(item, place)
    )


def _loops(item: ast.AST, place: ast.expr) -> bool:
    return isinstance(item, (ast.For, ast.AsyncFor)) and place in ast.walk(item.iter)


def _trains(loop: ast.AST) -> bool:
    """Whether the body of a loop computes gradients, or calls something named like training."""
    for item in (node for stmt in getattr(loop, "body", ()) for node in ast.walk(stmt)):
        if not isinstance(item, ast.Call):
            continue
        last = last_name(item.func)
        if last in ("GradientTape", "apply_gradients", "minimize", "train_on_batch"):
            return True
        if said(last) is Purpose.TRAIN:
            return True
    return False


def received_as(file: File, node: ast.expr) -> Purpose | None:
    """The name that callers give to a dataset returned among others: ``train, val = make()``."""
    last = _last_step(node)
    target = None if last is None else assigned_name(last)
    found: set[Purpose | None] = set()
    for read in () if target is None else reads(target):
        around = parent(read)
        function = function_around(read)
        if isinstance(around, ast.Tuple) and isinstance(parent(around), ast.Return) and function:
            place = next(i for i, item in enumerate(around.elts) if item is read)
            for _, call, _ in file.resolver.callers(Function(file.module, function)):
                names = only_target(parent(call))
                places = names.elts if isinstance(names, ast.Tuple) else []
                same = len(places) == len(around.elts)
                found.add(said(last_name(places[place])) if same else None)
    return found.pop() if len(found) == 1 else None
