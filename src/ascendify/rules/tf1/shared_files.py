"""Files that every rank of a training writes and reads: they appear whole."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ascendify.rules.kit import Diagnoses, Diagnosis, File, Fix, Rule, Status, ranks
from ascendify.rules.kit.tests import in_test
from ascendify.rules.tf1 import _distributed, _training
from ascendify.source.flow.backward import definitions, only_value
from ascendify.source.module import Module
from ascendify.source.nodes import keyword_value, last_name, string
from ascendify.source.scopes import parent

_WHOLE = '''\
@{contextlib}.contextmanager
def {{name}}(opener, path, *more, **named):
{indent}"""Open a file that the ranks share; it takes its name when it is complete."""
{indent}own = path
{indent}if int({os}.getenv("RANK_SIZE", "1")) > 1:
{indent}{indent}own = "%s.rank_%s" % (path, {os}.getenv("RANK_ID", "0"))
{indent}with opener(own, *more, **named) as file:
{indent}{indent}yield file
{indent}if own != path:
{indent}{indent}{os}.replace(own, path)'''

_SAVED = '''\
def {{name}}(save, path, *values, **named):
{indent}"""Save arrays in a file that the ranks share; it takes its name when it is complete."""
{indent}if int({os}.getenv("RANK_SIZE", "1")) == 1:
{indent}{indent}return save(path, *values, **named)
{indent}stem, suffix = {os}.path.splitext(path)
{indent}own = "%s.rank_%s%s" % (stem, {os}.getenv("RANK_ID", "0"), suffix)
{indent}save(own, *values, **named)
{indent}for added in ("", ".npy", ".npz"):  # numpy adds one of these to a name without it
{indent}{indent}if {os}.path.exists(own + added):
{indent}{indent}{indent}{os}.replace(own + added, path + added)'''

RULE = Rule(
    code="TF1-FILE-1",
    title="Let files that ranks share appear whole",
    why=(
        "Every rank is a process of its own. Where one of them reads a file that another is still "
        "writing, such as a vocabulary that is kept for the next run, it reads a part of it."
    ),
    statuses=(Status.AUTO,),
    before=(
        "train_op = tf.train.AdamOptimizer().minimize(loss)\n"
        "if not os.path.exists(vocab_file):\n"
        "    with open(vocab_file, 'wb') as f:\n"
        "        pickle.dump(words, f)"
    ),
    after=(
        "train_op = tf.train.AdamOptimizer().minimize(loss)\n\n\n"
        + _WHOLE.format(contextlib="contextlib", os="os", indent="    ").format(
            name="npu_whole_file"
        )
        + "\n\n\nif not os.path.exists(vocab_file):\n"
        "    with npu_whole_file(open, vocab_file, 'wb') as f:\n"
        "        pickle.dump(words, f)"
    ),
    safety=(
        "With one rank the file is written as before. With several, each writes a file of its own "
        "beside it, which then takes its name: all ranks write the same, and the last one stays."
    ),
)

_OPENERS = ("builtins.open", "io.open", "codecs.open")
_ARRAYS = ("save", "savez", "savez_compressed", "savetxt")
_READERS = frozenset(
    {
        "exists", "isfile", "load", "loadtxt", "genfromtxt", "read_csv", "Exists", "GFile", "Open",
        "FastGFile", "index_table_from_file", "index_to_string_table_from_file", "TextLineDataset",
        "read_file", "VocabularyProcessor",
    }
)  # fmt: skip
"""Last names of calls that read a file, or ask whether it is there."""
_MODES = re.compile(r"[wx]b?\+?[bt]?|b[wx]")
_IMPORTERS = 3
"""How many files lie between one that trains and one that it imports."""


@RULE.file
def write_whole(file: File) -> Diagnoses:
    """Files that a program writes and reads, written in one go and not left open."""
    if not _distributed.is_strategy_run(file) or in_test(file, file.module.tree):
        return
    by_name = file.module.index.calls_by_name
    for call in by_name.get("open", ()):
        if isinstance(parent(call), ast.withitem) and _writes(call) and _is_shared(file, call):
            fix = file.fix()
            text = _WHOLE.format(
                contextlib=fix.use("contextlib"), os=fix.use("os"), indent=fix.indent_unit
            )
            if file.name(call.func) in _OPENERS:
                yield _done(file, call, fix, fix.define(text, "npu_whole_file", call))
    for last in _ARRAYS:
        for call in by_name.get(last, ()):
            name = file.name(call.func)
            if name != f"numpy.{last}" or not isinstance(parent(call), ast.Expr):
                continue
            if call.args and not _is_open_file(call.args[0]) and _is_shared(file, call):
                fix = file.fix()
                text = _SAVED.format(os=fix.use("os"), indent=fix.indent_unit)
                yield _done(file, call, fix, fix.define(text, "npu_whole_array", call))


def _is_open_file(path: ast.expr) -> bool:
    """Whether a variable holds a file and no path."""
    if not isinstance(path, ast.Name):
        return False
    return any(
        one.kind == "with"
        or (isinstance(one.value, ast.Call) and last_name(one.value.func) == "open")
        for one in definitions(path)
    )


def _done(file: File, call: ast.Call, fix: Fix, function: str) -> Diagnosis:
    """Hand the call's function and what it is given to the function that writes the whole."""
    path = call.args[0]
    fix.replace(call.func, function)
    start = file.module.start(path)
    fix.replace_range(start, start, f"{file.text(call.func)}, ")
    return RULE.auto(
        file.at(call),
        f"every rank writes {file.brief(path, 40)}, which ranks read",
        done=f"Wrote it with {function}(), which gives it its name when it is complete.",
        fix=fix,
    )


def _writes(call: ast.Call) -> bool:
    """Whether a call opens a file to write it anew."""
    mode = keyword_value(call, "mode") or (call.args[1] if len(call.args) > 1 else None)
    text = string(mode)
    return text is not None and _MODES.fullmatch(text) is not None


def _is_shared(file: File, node: ast.Call) -> bool:
    """Whether all ranks of a training write a file that the program also reads."""
    if not node.args or isinstance(node.args[0], ast.Starred):
        return False
    path = node.args[0]
    if not ranks.all_reach(file, node) or _distributed.is_for_rank(file, path):
        return False
    modules = _program(file)
    if not modules and not _training.trains(file, node):
        return False
    names = _names(path)
    return any(
        not names.isdisjoint(file.resolver.once(_read_names, module))
        for module in (file.module, *modules)
    )


def _program(file: File) -> list[Module]:
    """Files that import this one, directly or not, if one of them trains."""
    project = file.resolver.project
    found: dict[str, Module] = {}
    pending = [file.module]
    for _ in range(_IMPORTERS):
        above = [one for item in pending for one in project.importers(item.path)]
        pending = [one for one in above if one.path not in found]
        found.update((one.path, one) for one in pending)
    trained = any(
        _training.makes_steps(each)
        for one in (file.module, *found.values())
        for each in (one, *project.imported(one))
    )
    return list(found.values()) if trained else []


def _read_names(_: object, module: Module) -> frozenset[str]:
    """What names files that a module reads, or whose existence it tests."""
    return frozenset(name for call in _reading(module) for name in _names(call.args[0]))


def _reading(module: Module) -> Iterator[ast.Call]:
    by_name = module.index.calls_by_name
    for last in _READERS:
        yield from (call for call in by_name.get(last, ()) if call.args)
    for call in by_name.get("open", ()):
        if call.args and not _writes(call):
            yield call


def _names(path: ast.expr) -> frozenset[str]:
    """What names a file in a path: the variable or attribute that has it, and its last text."""
    own = path.id if isinstance(path, ast.Name) else getattr(path, "attr", ast.dump(path))
    value = only_value(path) if isinstance(path, ast.Name) else None
    texts = [string(item) for item in ast.walk(path if value is None else value)]
    files = [text.rpartition("/")[2] for text in texts if text and "." in text]
    return frozenset((own, *files[-1:]))
