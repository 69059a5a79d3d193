"""Split a file into blocks of code that run as a whole: module level, functions, methods."""

from __future__ import annotations

import ast
import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import cast

from ascendify.programs.activities import (
    ASSIGNS,
    BUILDS,
    DIFFERENTIATES,
    Activity,
    activities,
)
from ascendify.source.module import Module
from ascendify.source.nodes import attributes, last_name, root, root_name

_STATEMENTS = ("body", "handlers", "cases", "orelse", "finalbody")
"""Fields that hold statements, in the order of the fields of every node that has several."""
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_RUNNERS = frozenset({"app.run", "Fire", "fire.Fire", "typer.run", "plac.call"})
_CHANGES_DATA = frozenset(
    {"append", "extend", "insert", "update", "add", "setdefault", "pop", "sort"}
)
"""Methods of lists, sets and dictionaries: a settings file calls them as well."""
_TEXT_GUARD = re.compile(r"^if\s+\(?__name__\s*==\s*['\"]__main__['\"]|^(?:\w+\.)*app\.run\(", re.M)
_STARTING_WORD = re.compile("|".join(("__name__", *sorted(map(re.escape, _RUNNERS)))))
_TEXT_CALL = re.compile(r"(?:\w+(?:\.\w+)*)\s*\(")
_WORD = re.compile(r"[A-Za-z_]\w*")


@dataclass
class Block:
    """A block of code that runs as a whole: the names that it reads, and what its calls do."""

    # keys of dictionaries, not sets: what follows from them must not depend on a run's hashes
    names: dict[str, None] = field(default_factory=dict)
    attributes: dict[str, None] = field(default_factory=dict)
    chains: dict[tuple[str, ...], None] = field(default_factory=dict)
    """Attribute chains with the variable they start with: ``("models", "resnet", "build")``."""
    activities: list[Activity] = field(default_factory=list)
    looked_up: dict[str, None] = field(default_factory=dict)
    """Variables whose attributes are read by a name that is computed: ``getattr(models, name)``."""


@dataclass
class ClassCode:
    """A class: its body, its methods and the chains that name its bases."""

    body: Block
    bases: list[tuple[str, ...]] = field(default_factory=list)
    methods: dict[str, Block] = field(default_factory=dict)


@dataclass
class FileCode:
    """One file."""

    path: str
    imports: dict[str, str] = field(default_factory=dict)
    """Local name -> the dotted name that it was imported from."""
    origins: list[str] = field(default_factory=list)
    """Everything that is imported, for effect too."""
    stars: list[str] = field(default_factory=list)
    module: Block = field(default_factory=Block)
    """What runs when the file is imported."""
    main: Block = field(default_factory=Block)
    """What runs only when the file is started."""
    guarded: bool = False
    """Whether there is a main guard."""
    runner: str = ""
    """What starts the program at module level, such as ``tf.app.run``; empty for nothing."""
    acts: bool = False
    """Whether its module level calls something for its effect, beside runs of the main guard."""
    assigned: list[tuple[str, ...]] = field(default_factory=list)
    """What its module level calls for a value that it keeps."""
    functions: dict[str, Block] = field(default_factory=dict)
    classes: dict[str, ClassCode] = field(default_factory=dict)
    relative: bool = False
    """Whether it uses relative imports, so that it can only be started as a module."""
    strings: set[str] = field(default_factory=set)
    """String literals; some are paths."""
    unreadable: str = ""
    """Why it could not be parsed; then everything is taken from its text."""

    @property
    def packages(self) -> set[str]:
        """The first part of everything that is imported."""
        return {origin.partition(".")[0] for origin in self.origins if not origin.startswith(".")}


def may_start(path: str, text: str) -> bool:
    """Whether a file can have a main guard or a runner; if not, it need not be parsed."""
    return path.endswith("__main__.py") or _STARTING_WORD.search(text) is not None


def read(module: Module) -> FileCode:
    """Take a parsed file apart."""
    reader = _Reader(module)
    reader.statements(module.tree.body, reader.code.module)
    for block in _blocks(reader.code):
        _note_own_update(block)
    return reader.code


def read_text(path: str, text: str, origins: list[str], why: str) -> FileCode:
    """Read a file that does not parse, such as one for Python 2, as one piece of code."""
    code = FileCode(path, unreadable=why, guarded=_TEXT_GUARD.search(text) is not None)
    code.origins = origins
    code.imports = {origin.rpartition(".")[2]: origin for origin in origins}
    code.acts = not code.guarded
    block = code.main if code.guarded else code.module
    lines = [line.partition("#")[0] for line in text.splitlines()]
    for number, line in enumerate(lines, 1):
        words = _WORD.findall(line)
        block.names.update(dict.fromkeys(words))
        block.attributes.update(dict.fromkeys(words))
        for match in _TEXT_CALL.finditer(line):
            call = _parsed_call(line[match.start() :])
            if call is not None:
                found = activities(call, _origin(code, _chain(call.func)), code.packages)
                block.activities.extend(Activity(act.kind, act.text, number) for act in found)
    _note_own_update(block)
    return code


def _blocks(code: FileCode) -> Iterator[Block]:
    yield from (code.module, code.main, *code.functions.values())
    for known in code.classes.values():
        yield from (known.body, *known.methods.values())


def _note_own_update(block: Block) -> None:
    """Note an update rule that is written out: gradients, and values assigned to variables."""
    assigned = [item for item in block.activities if item.kind == ASSIGNS]
    if assigned and any(item.kind == DIFFERENTIATES for item in block.activities):
        block.activities.append(Activity(BUILDS, assigned[0].text, assigned[0].line))


def _parsed_call(text: str) -> ast.Call | None:
    """Parse the call that a line starts with, as far as its brackets close on that line."""
    depth = 0
    for place, sign in enumerate(text):
        depth += (sign in "([{") - (sign in ")]}")
        if sign in ")]}" and depth == 0:
            text = text[: place + 1]
            break
    else:
        text = f"{text.partition('(')[0]}(_)"
    try:
        node = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):
        return None
    return node if isinstance(node, ast.Call) else None


class _Reader:
    def __init__(self, module: Module) -> None:
        self.code = FileCode(module.path)
        for node in _imports(module.tree):
            self.note_import(node)
        self.packages = self.code.packages

    def note_import(self, node: ast.Import | ast.ImportFrom) -> None:
        code = self.code
        if isinstance(node, ast.Import):
            for alias in node.names:
                code.origins.append(alias.name)
                first = alias.name.partition(".")[0]
                code.imports[alias.asname or first] = alias.name if alias.asname else first
            return
        base = "." * node.level + (node.module or "")
        code.relative = code.relative or bool(node.level)
        for alias in node.names:
            if alias.name == "*":
                code.stars.append(base)
                code.origins.append(base)
            else:
                origin = f"{base}{alias.name}" if base.endswith(".") else f"{base}.{alias.name}"
                code.origins.append(origin)
                code.imports[alias.asname or alias.name] = origin

    def statements(self, body: list[ast.stmt], block: Block) -> None:
        """Divide statements of module level into pieces."""
        for node in body:
            if isinstance(node, _DEFINITIONS):
                self.function(node, block)
            elif isinstance(node, ast.ClassDef):
                self.class_(node, block)
            elif isinstance(node, ast.If) and _is_guard(node.test):
                self.code.guarded = True
                self.statements(node.body, self.code.main)
                self.statements(node.orelse, block)
            elif isinstance(node, (ast.If, ast.Try, ast.With, ast.For, ast.While)):
                self.compound(node, block)
            else:
                if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
                    self.note_runner(node.value)
                if block is self.code.module:
                    self.note_effect(node)
                self.read(node, block)

    def compound(self, node: ast.stmt, block: Block) -> None:
        for name, value in ast.iter_fields(node):
            if name in ("body", "orelse", "finalbody"):
                self.statements(value, block)
            elif name == "handlers":
                for handler in value:
                    self.statements(handler.body, block)
            elif isinstance(value, ast.AST):
                self.read(value, block)
            elif isinstance(value, list):
                for item in value:
                    self.read(item, block)

    def function(self, node: ast.FunctionDef | ast.AsyncFunctionDef, block: Block) -> None:
        own = self.code.functions.setdefault(node.name, Block())
        for item in (*node.decorator_list, node.args):
            self.read(item, block)
        for item in node.body:
            self.read(item, own)

    def class_(self, node: ast.ClassDef, block: Block) -> None:
        own = ClassCode(Block(), [chain for base in node.bases if (chain := _chain(base))])
        self.code.classes[node.name] = own
        for item in node.decorator_list:
            self.read(item, block)
        for statement in node.body:
            if isinstance(statement, _DEFINITIONS):
                method = own.methods.setdefault(statement.name, Block())
                for part in statement.body:
                    self.read(part, method)
            else:
                self.read(statement, own.body)

    def note_runner(self, call: ast.Call) -> None:
        name = ".".join(_chain(call.func))
        short = ".".join(name.split(".")[-2:])
        if short in _RUNNERS or name in _RUNNERS:
            self.code.runner = name

    def note_effect(self, node: ast.stmt) -> None:
        """Note what a statement of module level calls."""
        value = getattr(node, "value", None)
        if not isinstance(value, ast.Call):
            return
        if not isinstance(node, ast.Expr):
            self.code.assigned.append(_chain(value.func))
        elif isinstance(value.func, ast.Name) or last_name(value.func) not in _CHANGES_DATA:
            self.code.acts = True

    def read(self, tree: ast.AST, block: Block) -> None:
        """Add everything below a node to a piece of code.

        Every node of the project passes here, so the loop over fields is written out.
        """
        pending = [tree]
        while pending:
            node = pending.pop()
            kind = node.__class__
            if kind is ast.Name:
                block.names[cast(ast.Name, node).id] = None
                continue
            if kind is ast.Attribute:
                pending.extend(_note_chain(cast(ast.Attribute, node), block))
                continue
            if kind is ast.Constant:
                self.note_string(cast(ast.Constant, node))
                continue
            if kind is ast.Call:
                self.note_call(cast(ast.Call, node), block)
            for name in node._fields:
                child = getattr(node, name, None)
                if child.__class__ is list:
                    pending.extend(item for item in reversed(child) if isinstance(item, ast.AST))
                elif isinstance(child, ast.AST) and child._fields:
                    pending.append(child)

    def note_string(self, node: ast.Constant) -> None:
        if isinstance(node.value, str) and len(node.value) < 200:
            self.code.strings.add(node.value)

    def note_call(self, node: ast.Call, block: Block) -> None:
        chain = _chain(node.func)
        block.activities.extend(activities(node, _origin(self.code, chain), self.packages))
        if chain[-2:] == ("app", "run"):
            block.names["main"] = None  # what it runs unless it is given another function
        if chain == ("getattr",) and node.args:
            # getattr(self, name) and getattr(models, name) reach anything of that name
            block.looked_up[".".join(_chain(node.args[0]))] = None


def _imports(tree: ast.Module) -> Iterator[ast.Import | ast.ImportFrom]:
    """Yield the imports of a file, wherever they stand, the outermost first."""
    pending: deque[ast.AST] = deque([tree])
    while pending:
        node = pending.popleft()
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield node
        for name in _STATEMENTS:
            inner = getattr(node, name, None)
            if inner.__class__ is list:  # the body of a lambda is an expression
                pending.extend(inner)


def _note_chain(node: ast.Attribute, block: Block) -> tuple[ast.AST, ...]:
    """Note an attribute chain and what it passes on the way; return what is left to read."""
    start = root(node)
    names = attributes(node)
    block.attributes.update(dict.fromkeys(names))
    if not isinstance(start, ast.Name):
        return (start,)
    block.names[start.id] = None
    for end in range(1, len(names) + 1):
        block.chains[(start.id, *names[:end])] = None
    return ()


def _chain(node: ast.expr) -> tuple[str, ...]:
    start = root_name(node)
    return (start.id, *attributes(node)) if start is not None else ()


def _origin(code: FileCode, chain: tuple[str, ...]) -> str:
    if not chain or chain[0] not in code.imports:
        return ""
    return ".".join((code.imports[chain[0]], *chain[1:]))


def _is_guard(test: ast.expr) -> bool:
    return any(isinstance(node, ast.Name) and node.id == "__name__" for node in ast.walk(test))


def names_below(code: FileCode) -> Iterator[str]:
    """Yield the functions and classes of a file."""
    yield from code.functions
    yield from code.classes
