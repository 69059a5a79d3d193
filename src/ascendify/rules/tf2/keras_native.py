"""Keras from other packages than tf.keras: its own, TensorFlow's private copy, tf_keras."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Union

from ascendify.catalog import native_keras
from ascendify.catalog._data import TENSORFLOW2
from ascendify.rules.kit import (
    Diagnoses,
    Diagnosis,
    Effort,
    File,
    Fix,
    Rule,
    Status,
    keras_defaults,
)
from ascendify.source.flow import backward
from ascendify.source.nodes import root_name

RULE = Rule(
    code="TF2-KERAS-1",
    title="Import Keras from TensorFlow 2",
    why=(
        "npu_device works with the tf.keras of TensorFlow 2.6. A keras package of another release "
        "brings layers and optimizers that it does not know, and Keras 3 does not run with "
        "TensorFlow 2.6 at all. tensorflow.python.keras is a stale copy since TensorFlow 2.6, "
        "whose classes do not go together with those of tf.keras."
    ),
    statuses=(Status.AUTO, Status.AUTO_CHECK, Status.MANUAL, Status.BLOCKER),
    before="from keras.layers import Dense",
    after="from tensorflow.keras.layers import Dense",
)

_Import = Union[ast.Import, ast.ImportFrom]
_PRIVATE = "tensorflow.python."
"""Where TensorFlow keeps the copy of Keras that its release notes for 2.6 call stale."""


@RULE.file
def move_imports(file: File) -> Diagnoses:
    """Rewrite every import of the package whose names all exist in tf.keras."""
    if "keras" not in file.module.source.text:
        return
    yield from _keras_2(file)
    if file.resolver.project.locate(file.path, "keras") is not None:
        return  # a package of the user's project
    imports = {
        node: [*origins, *_missing_below(file, node)]
        for node in file.module.index.imports
        if (origins := list(_origins(node)))
        and all(name == "keras" or name.startswith("keras.") for name in origins)
    }
    for node, used in imports.items():
        third = next((name for name in used if native_keras.is_keras_3(name)), "")
        if third:
            # objects of the two packages cannot be combined
            yield RULE.blocker(
                file.at(node),
                f"{third} is of Keras 3, which does not run with TensorFlow 2.6",
                todo="Write it with tf.keras and TensorFlow's operators, then migrate again.",
                effort=Effort.HOURS,
            )
            return
    for node, used in imports.items():
        yield _moved(file, node, used)


def _keras_2(file: File) -> Diagnoses:
    """``import tf_keras``: Keras 2 for releases of TensorFlow that have Keras 3."""
    for node in file.module.index.imports:
        mine = [item for item in node.names if item.name == "tf_keras"]
        if not isinstance(node, ast.Import) or not mine:
            continue
        fix = file.fix()
        others = [ast.unparse(item) for item in node.names if item is not mine[0]]
        lines = [f"import {', '.join(others)}"] if others else []
        lines.append(f"from tensorflow import keras as {mine[0].asname or 'tf_keras'}")
        fix.replace_statement(node, lines)
        yield RULE.auto(
            file.at(node),
            f"{file.brief(node)} imports Keras 2 beside a TensorFlow that has Keras 3",
            done="Imported tf.keras, which is Keras 2 in TensorFlow 2.6.",
            fix=fix,
        )


def _moved(file: File, node: _Import, used: list[str]) -> Diagnosis:
    private = any(name.startswith(_PRIVATE) for name in _spelled(node))
    package = "TensorFlow's stale copy of Keras" if private else "the keras package of its own"
    found = f"{file.brief(node)} imports {package}"
    lacking = next((name for name in used if not _is_public(name)), "")
    text = _new(file, node)
    if lacking or text is None:
        todo = "Write `from tensorflow import keras` in its place."
        if lacking:
            todo = f"Do without {lacking}, and import the rest from tensorflow.keras."
        return RULE.manual(file.at(node), found, todo=todo)
    fix = file.fix()
    native = bool(file.facts.keras) and not private
    written = _written(file, fix, node) if native else keras_defaults.Written()
    fix.replace_statement(node, [text])
    done = f"Imported the same names from tensorflow.keras.{written.sentence}"
    return RULE.fixed(file.at(node), found, done=done, todo=written.todo, fix=fix)


def _written(file: File, fix: Fix, node: _Import) -> keras_defaults.Written:
    """Write out defaults of keras 2.2 and 2.3; later releases have those of tf.keras."""
    written = keras_defaults.write_calls(file, fix, node, "tf2", file.facts.keras)
    if node is next(filter(_is_native, file.module.index.imports)):
        written.extend(keras_defaults.write_strings(file, fix, "tf2", file.facts.keras))
    return written


def _is_native(node: _Import) -> bool:
    """Whether a statement imports from the keras package itself."""
    named = (
        [node.module or ""] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names]
    )
    return any(name == "keras" or name.startswith("keras.") for name in named)


def _origins(node: _Import) -> Iterator[str]:
    """The imported objects, by their names in the keras package."""
    return map(_plain, _spelled(node))


def _plain(name: str) -> str:
    """A name of the keras package, for one of TensorFlow's private copy as well."""
    return name[len(_PRIVATE) :] if name.startswith(f"{_PRIVATE}keras") else name


def _spelled(node: _Import) -> Iterator[str]:
    for alias in node.names:
        if isinstance(node, ast.Import):
            yield alias.name
        elif not node.level:
            yield f"{node.module}.{alias.name}"


def _is_public(name: str) -> bool:
    plain = name[: -len(".*")] if name.endswith(".*") else name
    return native_keras.is_public(plain, TENSORFLOW2)


def _missing_below(file: File, node: _Import) -> Iterator[str]:
    """Names below an import that stay native, because tf.keras lacks them."""
    for reference in file.module.index.references:
        root = root_name(reference)
        if root is None or not any(item.node is node for item in backward.bindings(root)):
            continue
        name = _plain(file.name(reference) or "")
        if name.startswith("keras."):
            yield name


def _new(file: File, node: _Import) -> str | None:
    """The statement with tensorflow.keras in the place of keras; None where that takes more."""
    text = file.text(node).replace(f"{_PRIVATE}keras", "keras", 1)
    if isinstance(node, ast.ImportFrom):
        return text.replace("from keras", "from tensorflow.keras", 1)
    if len(node.names) != 1:
        return None
    alias = node.names[0]
    if _plain(alias.name) == "keras":
        if alias.name != "keras" and alias.asname is None:
            return None
        return "from tensorflow import keras" + (f" as {alias.asname}" if alias.asname else "")
    return text.replace("keras", "tensorflow.keras", 1) if alias.asname else None
