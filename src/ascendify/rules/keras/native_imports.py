"""Imports of the keras package: import the same names from tf.keras."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ascendify.catalog import native_keras
from ascendify.rules.kit import (
    Diagnoses,
    File,
    Rule,
    Site,
    Status,
    environment,
    keras_defaults,
    names,
)
from ascendify.source.nodes import ImportNode, attributes, last_name, root

RULE = Rule(
    code="TF1-KERAS-5",
    title="Import Keras from TensorFlow",
    why=(
        "The NPU is used through TensorFlow's sessions, and only tf.keras runs in those that are "
        "set up for it. The separate keras package is not supported."
    ),
    statuses=(Status.AUTO_CHECK, Status.AUTO, Status.MANUAL, Status.BLOCKER),
    before="from keras.layers.core import Dense",
    after="from tensorflow.keras.layers import Dense",
    safety=(
        "tf.keras of TensorFlow 1.15 is close to keras 2.2. Defaults that differ, such as the "
        "learning rates of Adadelta, Adagrad, Adamax and Nadam, are written out as keras has them. "
        "metrics=['accuracy'] is logged as acc, and whole models saved by another version may need "
        "their weights loaded instead."
    ),
)

_CHECK = (
    "Check what differs in tf.keras: metrics=['accuracy'] is logged as 'acc' and 'val_acc'; where "
    "a whole model saved by keras does not load, build the model and load its weights."
)
_VARIANCE = (
    "BatchNormalization of anything but pictures keeps the variance of a batch in tf.keras, and "
    "n / (n - 1) times it in keras, so evaluation with small batches differs a little."
)
_WIDTH = 100
_LEAKED = "control_flow_ops"
_CONTROL_FLOW = frozenset({"while_loop", "cond", "case", "group", "no_op", "tuple"})
"""A module of TensorFlow that keras.backend happened to import, and the names people use from it.
"""
_INSTEAD = {
    "keras.backend.image_dim_ordering": (
        "Ask keras.backend.image_data_format(), which says 'channels_first' for 'th' and "
        "'channels_last' for 'tf'."
    ),
    "keras.backend.is_keras_tensor": (
        "Import is_keras_tensor from tensorflow.python.keras.backend."
    ),
    "keras.layers.merge": (
        "Use the layer for the mode (concatenate, add, multiply, average, dot), or a Lambda layer "
        "for a mode that is a function."
    ),
    "keras.layers.merge._Merge": "Import _Merge from tensorflow.python.keras.layers.merge.",
    "keras.layers.Merge": (
        "Use the layer for the mode (Concatenate, Add, Multiply, Average, Dot), or a Lambda layer "
        "for a mode that is a function."
    ),
}
"""Replacements for names that tf.keras of TensorFlow 1.15 does not have."""


class _Missing(Exception):  # noqa: N818 - a result, not an error
    """A name that tf.keras does not have."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


def _checks(file: File) -> tuple[str, ...]:
    """What to check in a file, however many imports it has."""
    if "BatchNormalization" in file.module.source.text:
        return (_CHECK, _VARIANCE)
    return (_CHECK,)


@RULE.file
def move_imports(file: File) -> Diagnoses:
    """Rewrite every import of the native package whose names all exist in tf.keras."""
    if file.resolver.project.locate(file.path, "keras") is not None:
        return  # a package of the project's own
    first = True
    for node in file.module.index.imports:
        if not any(_is_native(name) for name in _origins(node)):
            continue
        spelled = file.brief(node)
        try:
            fix = file.fix()
            token, lines = _new(file, node)
        except _Missing as missing:
            instead = _INSTEAD.get(missing.name, f"Do without {missing.name}.")
            yield RULE.manual(
                file.at(node),
                f"{spelled} needs {missing.name}, which tf.keras of TensorFlow 1.15 does not have",
                todo=f"{instead} Then import the rest from tensorflow.keras.",
                cause=missing.name,
            )
            continue
        for leaked in _leaked(file, node):
            fix.replace(leaked, names.tensorflow(fix, leaked))
        for second, name in _second_names(file, node):
            fix.replace_range(
                file.module.end(second) - len(second.attr), file.module.end(second), name
            )
        written = keras_defaults.write_calls(file, fix, node, "tf1", file.facts.keras)
        if first:
            written.extend(keras_defaults.write_strings(file, fix, "tf1", file.facts.keras))
        if token is None:
            fix.replace_statement(node, lines)
        else:
            fix.replace_range(*token, lines[0])
        yield RULE.fixed(
            file.at(node),
            f"{spelled} imports the keras package instead of tf.keras",
            done=f"Imported the same names from tensorflow.keras.{written.sentence}",
            todo=" ".join(filter(None, (*(_checks(file) if first else ()), written.todo))),
            fix=fix,
        )
        first = False


@RULE.reference("os.environ", "os.environ.setdefault")
def report_backend(site: Site) -> Diagnoses:
    """A backend other than TensorFlow that the program sets in its environment."""
    use = environment.use_at(site)
    if use is None or use.action != "set" or use.variable != "KERAS_BACKEND" or not use.value:
        return
    named = site.file.literal(use.value) or ()
    backend = next((item for item in named if item != "tensorflow"), None)
    if backend is not None:
        yield RULE.blocker(
            site.at(use.value),
            f"KERAS_BACKEND is {backend!r}: the models run outside TensorFlow",
            todo=(
                "Port the code that calls this backend to keras.backend functions and train it "
                "with the TensorFlow backend first; then migrate."
            ),
        )


# --- imports ----------------------------------------------------------------------------------


def _origins(node: ImportNode) -> list[str]:
    if isinstance(node, ast.ImportFrom):
        return [] if node.level else [node.module or ""]
    return [alias.name for alias in node.names]


def _is_native(origin: str) -> bool:
    return origin == "keras" or origin.startswith("keras.")


def _new(file: File, node: ImportNode) -> tuple[tuple[int, int] | None, list[str]]:
    """The module's new name and its range, or None and the lines that replace the statement."""
    grouped: dict[str, list[str]] = {}
    kept: list[str] = []
    for alias in node.names:
        if isinstance(node, ast.ImportFrom):
            module, item = _moved(file, node, f"{node.module}.{alias.name}", alias)
        elif not _is_native(alias.name):
            kept.append(_spelled(alias))
            continue
        elif alias.asname:
            module, item = _moved(file, node, alias.name, alias)
        else:
            _check_uses(file, node, "keras", "keras")
            module, item = "tensorflow", "keras"
        if item not in grouped.setdefault(module, []):
            grouped[module].append(item)
    if isinstance(node, ast.ImportFrom) and len(grouped) == 1:
        module, items = next(iter(grouped.items()))
        if items == [_spelled(alias) for alias in node.names]:
            start = file.module.source.text.index(node.module or "", file.module.start(node) + 4)
            return (start, start + len(node.module or "")), [module]
    lines = [f"import {', '.join(kept)}"] if kept else []
    lines.extend(_from(module, items) for module, items in grouped.items())
    return None, lines


def _from(module: str, items: list[str]) -> str:
    line = f"from {module} import {', '.join(items)}"
    return line if len(line) <= _WIDTH else f"from {module} import ({', '.join(items)})"


def _spelled(alias: ast.alias) -> str:
    return alias.name + (f" as {alias.asname}" if alias.asname else "")


def _moved(file: File, node: ImportNode, dotted: str, alias: ast.alias) -> tuple[str, str]:
    """Module and item that import ``dotted`` under the name the file uses for it."""
    local = alias.asname or dotted.rpartition(".")[2]
    if local == "*":
        module = dotted[: -len(".*")]
        if not native_keras.is_public(module):
            raise _Missing(module)
        return f"tensorflow.{module}", "*"
    if native_keras.is_public(dotted):
        _check_uses(file, node, local, dotted)
        module, _, last = f"tensorflow.{dotted}".rpartition(".")
    else:
        found = native_keras.canonical(dotted)
        if found == dotted:
            found = _common_home(file, node, local, dotted)
        elif found in native_keras.modules():
            _check_uses(file, node, local, dotted, found[len("tf.") :])
        module, _, last = f"tensorflow{found[len('tf') :]}".rpartition(".")
    return module, last + (f" as {local}" if local != last else "")


def _check_uses(file: File, node: ast.AST, local: str, dotted: str, home: str = "") -> None:
    """Raise for the first name used below an import that tf.keras does not have in its place."""
    for chain in _uses(file, node, local):
        path = home or dotted
        if path == "keras.backend" and _is_leaked(chain):
            continue
        for number, attr in enumerate(chain, 1):
            path = f"{path}.{attr}"
            if native_keras.renamed(path) is not None:
                break
            if not native_keras.is_public(path):
                raise _Missing(".".join([dotted, *chain[:number]]))
            if path.replace("keras", "tf.keras", 1) not in native_keras.modules():
                break


def _is_leaked(chain: list[str]) -> bool:
    return len(chain) > 1 and chain[0] == _LEAKED and chain[1] in _CONTROL_FLOW


def _leaked(file: File, node: ImportNode) -> Iterator[ast.expr]:
    """Functions of TensorFlow that are used as ``K.control_flow_ops`` of the imported backend."""
    for reference in file.module.index.references:
        if not (isinstance(reference, ast.Attribute) and reference.attr in _CONTROL_FLOW):
            continue
        middle = reference.value
        if not (isinstance(middle, ast.Attribute) and middle.attr == _LEAKED):
            continue
        if file.name(middle.value) == "tf.keras.backend" and keras_defaults.starts_at(middle, node):
            yield middle


def _second_names(file: File, node: ImportNode) -> Iterator[tuple[ast.Attribute, str]]:
    """``optimizers.adam`` below an import, and the name tf.keras has for it."""
    for reference in file.module.index.references:
        if not isinstance(reference, ast.Attribute):
            continue
        name = native_keras.renamed(f"keras.optimizers.{reference.attr}")
        if name is None or file.name(reference.value) != "tf.keras.optimizers":
            continue
        if keras_defaults.starts_at(reference, node):
            yield reference, name


def _common_home(file: File, node: ast.AST, local: str, dotted: str) -> str:
    """The one module of tf.keras that has everything used of a module tf.keras does not have."""
    homes: set[str] = set()
    for chain in _uses(file, node, local):
        name = f"{dotted}.{chain[0]}" if chain else dotted
        found = native_keras.canonical(name)
        home, _, last = found.rpartition(".")
        if found == name or not chain or last != chain[0]:
            raise _Missing(name)
        homes.add(home)
    if len(homes) != 1:
        raise _Missing(dotted)
    return homes.pop()


def _uses(file: File, node: ast.AST, local: str) -> Iterator[list[str]]:
    """The attributes read below a name that an import statement binds, outermost first."""
    for reference in file.module.index.references:
        if last_name(root(reference)) == local and keras_defaults.starts_at(reference, node):
            yield attributes(reference)
