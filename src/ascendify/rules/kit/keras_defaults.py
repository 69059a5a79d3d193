"""Write the defaults of the native keras package out, before its imports become tf.keras."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from ascendify.catalog import keras_defaults, signatures
from ascendify.rules.fix import Fix
from ascendify.rules.kit import names
from ascendify.rules.site import File
from ascendify.source.flow import backward
from ascendify.source.nodes import is_literal, last_name, root_name, string

_COMPILE = ("compile", "get")
"""``model.compile`` and ``optimizers.get``, which take an optimizer by its name."""


@dataclass
class Written:
    """The defaults that were written into a file, and those that could not be."""

    done: list[str] = field(default_factory=list)
    """Such as ``Adadelta(learning_rate=1.0)``, each once."""
    left: list[str] = field(default_factory=list)
    """Places where a default may change, for people."""

    def note(self, text: str) -> None:
        """Add something that was written, once."""
        if text not in self.done:
            self.done.append(text)

    def leave(self, text: str) -> None:
        """Add something that is left to people, once."""
        if text not in self.left:
            self.left.append(text)

    def extend(self, other: Written) -> None:
        """Add the defaults that were written elsewhere in the file."""
        self.done.extend(other.done)
        self.left.extend(other.left)

    @property
    def sentence(self) -> str:
        """A sentence on what was done, with a space before it; empty for nothing."""
        if not self.done:
            return ""
        return f" Wrote out defaults of keras that tf.keras has otherwise: {', '.join(self.done)}."

    @property
    def todo(self) -> str:
        """A sentence on what is left to do; empty for nothing."""
        return " ".join(self.left)


def starts_at(chain: ast.expr, node: ast.AST) -> bool:
    """Whether a chain of attributes starts at a name that an import statement binds."""
    root = root_name(chain)
    return root is not None and any(item.node is node for item in backward.bindings(root))


def _comes_from(func: ast.expr, node: ast.AST) -> bool:
    """Whether an import defines the callable, itself or as ``RNN`` of ``RNN = layers.LSTM``."""
    if starts_at(func, node):
        return True
    value = backward.only_value(func) if isinstance(func, ast.Name) else None
    return isinstance(value, (ast.Attribute, ast.Name)) and starts_at(value, node)


def write_calls(file: File, fix: Fix, node: ast.stmt, framework: str, release: str) -> Written:
    """Write defaults into the calls of classes that an import brings in.

    Args:
        file: The file.
        fix: The fix of the import.
        node: The import.
        framework: ``tf1`` or ``tf2``.
        release: Of the keras package, where the project names one.
    """
    written = Written()
    for call in file.module.index.calls:
        name = _class_name(file, call.func)
        if name is None or not (
            _comes_from(call.func, node) or _is_starred(file, call, name, node)
        ):
            continue
        short = name.rpartition(".")[2]
        if _has_unknown_arguments(call):
            if keras_defaults.differing(name, framework, release):
                written.leave(
                    f"Line {call.lineno}: give {_described(name, framework, release)} where "
                    f"{short} gets no other value."
                )
            continue
        given = _name_positional(fix, call, name, framework)
        missing = [
            f"{default.parameter}={default.native}"
            for default in keras_defaults.differing(name, framework, release)
            if given.isdisjoint(default.names)
        ]
        if missing:
            fix.add_argument(call, ", ".join(missing))
            written.note(f"{short}({', '.join(missing)})")
        if (
            not release
            and framework == "tf1"
            and "recurrent_activation" not in given
            and keras_defaults.depends_on_release(name, framework)
        ):
            written.leave(
                f"With keras 2.3, give {short} recurrent_activation='sigmoid', its default there; "
                "keras 2.2 and tf.keras have 'hard_sigmoid'."
            )
    return written


def write_strings(file: File, fix: Fix, framework: str, release: str) -> Written:
    """Replace optimizers given by name, if their learning rate differs in tf.keras."""
    written = Written()
    for value in _named_optimizers(file):
        text = string(value)
        known = keras_defaults.of_string(text) if text is not None else None
        if known is not None:
            tensorflow = names.tensorflow(fix, value)
            made = f"{known.rpartition('.')[2]}({_described(known, framework, release)})"
            fix.replace(value, f"{tensorflow}.keras.{known.rpartition('.')[0]}.{made}")
            written.note(f"{text!r} became {made}")
        elif text is None:
            options = [item for item in file.literal(value) or () if keras_defaults.of_string(item)]
            for item in options:
                known = keras_defaults.of_string(item) or ""
                written.leave(
                    f"Line {value.lineno}: the optimizer {item!r} needs "
                    f"{_described(known, framework, release)} to train as with keras."
                )
    return written


def _named_optimizers(file: File) -> Iterator[ast.expr]:
    for call in file.module.index.calls:
        if not isinstance(call.func, ast.Attribute) or call.func.attr not in _COMPILE:
            continue
        if call.func.attr == "get" and last_name(call.func.value) != "optimizers":
            continue
        options = {item.arg: item.value for item in call.keywords}
        value = options.get("optimizer", call.args[0] if call.args else None)
        # ``re.compile`` is a method with the same name
        if value is not None and ("loss" in options or "optimizer" in options or len(call.args) > 1
                                  or call.func.attr == "get"):  # fmt: skip
            yield value


def _class_name(file: File, node: ast.expr) -> str | None:
    """Return the class of keras that is called, below ``keras``."""
    name = names.of_either(file.name(node))
    if name is None:
        return None
    for start in ("tf.keras.", "keras."):
        if name.startswith(start):
            return name[len(start) :]
    return None


def _is_starred(file: File, call: ast.Call, name: str, node: ast.stmt) -> bool:
    """Whether a class comes from a star import, the first in the file of its part of keras."""
    if not isinstance(call.func, ast.Name) or backward.bindings(call.func):
        return False
    part = name.partition(".")[0]
    stars = (
        one
        for one in file.module.index.imports
        if isinstance(one, ast.ImportFrom)
        and one.names[0].name == "*"
        and (one.module or "").split(".")[:2] == ["keras", part]
    )
    return next(stars, None) is node


def _has_unknown_arguments(call: ast.Call) -> bool:
    return any(isinstance(item, ast.Starred) for item in call.args) or any(
        item.arg is None for item in call.keywords
    )


def _described(name: str, framework: str, release: str) -> str:
    found = keras_defaults.differing(name, framework, release)
    return ", ".join(f"{item.parameter}={item.native}" for item in found)


def _name_positional(fix: Fix, call: ast.Call, name: str, framework: str) -> set[str]:
    """Name positional arguments whose position differs in tf.keras; return all arguments."""
    given = {item.arg for item in call.keywords if item.arg}
    native = keras_defaults.positional(name)
    known = signatures.signature(f"{'tf' if framework == 'tf1' else 'tf2'}.keras.{name}")
    new = known.positional if known is not None else ()
    naming = False
    for place, (value, parameter) in enumerate(zip(call.args, native)):
        given.add(parameter)
        same = place < len(new) and new[place] in (parameter, "learning_rate")
        # keras 2.3 has nesterov and amsgrad in the places of decay
        is_switch = is_literal(value, True) or is_literal(value, False)
        naming = naming or not (same or is_switch)
        if naming:
            fix.wrap(value, f"{parameter}=", "")
    if not native:
        given.update(new[: len(call.args)])
    return given
