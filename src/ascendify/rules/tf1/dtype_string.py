"""Strings in the network: compare words off the device, report feature columns of strings."""

from __future__ import annotations

import ast

from ascendify.rules.helpers import TEXT
from ascendify.rules.kit import CallSite, Diagnoses, Effort, File, Rule, Status
from ascendify.rules.kit.bindings import values
from ascendify.rules.kit.tests import outside_tests
from ascendify.rules.tensorflow import dtypes, host
from ascendify.rules.tf1 import _words
from ascendify.source.flow.backward import only_value
from ascendify.source.nodes import functions_around, string

RULE = Rule(
    code="TF1-TYPE-2",
    title="Keep strings out of the network",
    why=(
        "Strings exist on the host only. A string tensor that reaches an operator of the "
        "network, such as a training phase compared with tf.equal or a feature column that looks "
        "words up, fails to compile."
    ),
    statuses=(Status.AUTO, Status.BLOCKER),
    before="phase = tf.constant('train')\nis_training = tf.equal(phase, tf.constant('train'))",
    after="phase = tf.constant('train')\nis_training = npu_text.equal(phase, tf.constant('train'))",
)


_COLUMNS = {
    "tf.feature_column.categorical_column_with_vocabulary_list": ("vocabulary_list",),
    "tf.feature_column.sequence_categorical_column_with_vocabulary_list": ("vocabulary_list",),
    "tf.feature_column.categorical_column_with_vocabulary_file": (),
    "tf.feature_column.sequence_categorical_column_with_vocabulary_file": (),
    "tf.feature_column.categorical_column_with_hash_bucket": (),
    "tf.feature_column.sequence_categorical_column_with_hash_bucket": (),
}
"""Feature columns that may take strings, and the parameter whose values show it; without one
they take strings by default."""


_HASHES = tuple(f"tf.string_to_hash_bucket{kind}" for kind in ("", "_fast", "_strong"))


@RULE.call(*_words.COMPARISONS)
def compare_words(site: CallSite) -> Diagnoses:
    """A comparison of which one side is a string, as far as the file shows."""
    file = site.file
    x, y = site.args.value("x"), site.args.value("y")
    if x is None or y is None:
        return
    strings = [side for side in (x, y) if dtypes.of_tensor(file, side) == "string"]
    if not strings:
        return
    if _can_be_replaced(file, x, y):
        if host.runs_on_host(file, site.node):
            return
        fix = site.fix()
        function = f"{fix.use(TEXT)}.{site.name.rpartition('.')[2]}"
        fix.replace(site.node.func, function)
        yield RULE.auto(
            site,
            f"{site.brief} compares strings inside the network",
            done=(
                f"Called {function} of {TEXT}.py: words that are known are compared when the graph "
                "is built, and a word that is fed reaches the device as a number."
            ),
            fix=fix,
        )
        return
    other = next((side for side in (x, y) if side is not strings[-1]), x)
    word = _word(file, strings[-1])
    shown = f"{word!r} as 1 and everything else as 0" if word else "each string as a small number"
    constant = "tf.constant(1, dtype=tf.int8)" if word else "tf.constant(number, dtype=tf.int8)"
    diagnosis = RULE.blocker(
        site,
        f"{site.brief} compares strings inside the network",
        todo=(
            f"Give {file.brief(other)} as an int8 tensor where it is made ({shown}) and compare "
            f"numbers: {site.callee}({file.brief(other)}, {constant}). Where the "
            "value is known in Python, a Python bool is simpler still."
        ),
        effort=Effort.MINUTES,
    )
    yield from host.in_network(file, site.node, diagnosis)


@RULE.call(*_words.PLACEHOLDERS)
@outside_tests
def feed_number(site: CallSite) -> Diagnoses:
    """A placeholder for a word that the network only compares."""
    file = site.file
    if file.facts.releases.get(file.path, "tf1") != "tf1" or not _words.is_fed_word(
        file, site.node
    ):
        return
    fix = site.fix()
    function = f"{fix.use(TEXT)}.{site.name.rpartition('.')[2]}"
    fix.replace(site.node.func, function)
    yield RULE.auto(
        site,
        f"{site.brief} takes a string into the network",
        done=(
            f"Called {function} of {TEXT}.py: it is fed the word as before, and the device gets an "
            "int8 number."
        ),
        fix=fix,
    )


def _can_be_replaced(file: File, *sides: ast.expr) -> bool:
    """Whether both sides are words that are written down, or fed to placeholders for words."""
    if file.facts.releases.get(file.path, "tf1") != "tf1":
        return False
    for side in sides:
        found = _words.sources(file, side)
        if found.unknown or not all(
            _words.is_fed_word(file.of(module), call) for module, call in found.placeholders
        ):
            return False
    return True


@RULE.call(*_COLUMNS)
@outside_tests
def report_column(site: CallSite) -> Diagnoses:
    """Report a feature column that looks up or hashes strings inside the network."""
    if not _takes_strings(site):
        return
    yield RULE.blocker(
        site,
        f"{site.callee} takes strings, which it turns into numbers inside the network",
        todo=(
            "Turn the strings into numbers in Dataset.map, with tf.strings.to_hash_bucket_fast or "
            "a lookup table, and use tf.feature_column.categorical_column_with_identity."
        ),
        effort=Effort.HOURS,
        cause=site.path,
    )


@RULE.call(*_HASHES)
@outside_tests
def report_hash(site: CallSite) -> Diagnoses:
    """Report strings that the network hashes, where nothing of the file's input pipeline does."""
    file = site.file
    diagnosis = RULE.blocker(
        site,
        f"{site.callee} turns strings into numbers inside the network",
        todo=f"Call {site.callee} in Dataset.map, and give the network the numbers.",
        effort=Effort.HOURS,
        cause=site.path,
    )
    names = [getattr(item, "name", "") for item in functions_around(site.node)]
    if any("input" in name for name in names):
        diagnosis = diagnosis.as_possible()
    yield from host.in_network(file, site.node, diagnosis)


def _takes_strings(site: CallSite) -> bool:
    """Whether a column is for strings: by its data type, else by its words, else by default."""
    file = site.file
    dtype = site.args.value("dtype")
    if dtype is not None and file.literal(dtype) != (None,):
        return dtypes.named(file, dtype) == "string"
    if "vocabulary_list" not in _COLUMNS[site.name]:
        return not site.args.starred
    words = site.args.value("vocabulary_list")
    if isinstance(words, ast.Name):
        words = only_value(words)
    if not isinstance(words, (ast.List, ast.Tuple)):
        return False
    return any(isinstance(value, str) for item in words.elts for value in file.literal(item) or ())


def _word(file: File, node: ast.expr) -> str | None:
    """The text of a string constant, ``'train'`` or ``tf.constant('train')``."""
    if (text := string(node)) is not None:
        return text
    if isinstance(node, ast.Call) and node.args and file.name(node.func) == "tf.constant":
        return _word(file, node.args[0])
    words = {_word(file, value) for value in values(file, node)}
    return words.pop() if len(words) == 1 else None
