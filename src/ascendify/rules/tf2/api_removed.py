"""Names that TensorFlow 2 does not have, left over in a program that was ported from 1."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ascendify.catalog.tensorflow_releases import TF1, only_in
from ascendify.rules.kit import Diagnoses, Effort, File, Rule, Status, guards, once
from ascendify.rules.kit.names import local_name
from ascendify.rules.kit.tests import in_test
from ascendify.source.nodes import attributes, conditions_around, root_name, whole

RULE = Rule(
    code="TF2-API-7",
    title="Replace names that only TensorFlow 1 has",
    why=(
        "A program for TensorFlow 2 stops with an AttributeError or ImportError where it reaches "
        "a name that was removed. Such names are left over from a port, often in branches that "
        "are seldom run."
    ),
    statuses=(Status.MANUAL,),
    before="loss = tf.Print(loss, [loss])",
)

_ROOT = frozenset({"tensorflow"})
_CONTRIB = "contrib"
_VERSION = re.compile(r"version|hasattr|\btf_?[12]\b", re.IGNORECASE)
"""Conditions that look at the release."""


@RULE.file
def report_removed(file: File) -> Diagnoses:
    """The first mention in a file of each such name, and imports of tf.contrib."""
    seen: dict[str, list[ast.expr]] = {}
    for node, path in _removed(file):
        seen.setdefault(path, []).append(node)
    for path, nodes in seen.items():
        others = once.words(sorted({node.lineno for node in nodes[1:]} - {nodes[0].lineno}))
        yield RULE.manual(
            file.at(nodes[0]),
            f"tf.{path} is not there in TensorFlow 2{others}",
            todo=_instead(path),
            effort=_effort(path),
        )
    for item in file.module.index.imports:
        module = (item.module or "") if isinstance(item, ast.ImportFrom) else item.names[0].name
        gone = f"{module}.".startswith(f"tensorflow.{_CONTRIB}.")
        if gone and not guards.may_fail(item) and not _is_guarded(file, item):
            yield RULE.manual(
                file.at(item),
                f"{module} is not there in TensorFlow 2",
                todo=_instead(_CONTRIB),
                effort=_effort(_CONTRIB),
            )


def _removed(file: File) -> Iterator[tuple[ast.expr, str]]:
    """Names below ``tensorflow`` itself that only TensorFlow 1 has, with their paths."""
    for node in file.module.index.references:
        if not isinstance(node, ast.Attribute) or whole(node) is not node:
            continue
        path = ".".join(attributes(node))
        if only_in(path) != TF1 or in_test(file, node) or _is_guarded(file, node):
            continue
        root = root_name(node)
        if root is not None and local_name(root, _ROOT) == root.id:
            yield node, path


def _is_guarded(file: File, node: ast.AST) -> bool:
    """Whether a node is reached with one release only, or may fail."""
    if guards.may_fail(node, "AttributeError"):
        return True
    return any(_VERSION.search(file.text(test)) for test in conditions_around(node))


def _instead(path: str) -> str:
    if path.partition(".")[0] == _CONTRIB:
        return (
            "Write it with tf.keras, or take it from the package that it moved to: tf_slim for "
            "slim, tensorflow_addons for layers and optimizers."
        )
    return f"Use what TensorFlow 2 has in its place, or call it tf.compat.v1.{path}."


def _effort(path: str) -> Effort:
    return Effort.HOURS if path.partition(".")[0] == _CONTRIB else Effort.MINUTES
