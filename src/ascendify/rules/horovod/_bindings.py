"""Which uses an imported name still has, in its file and in files that import it from there."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

from ascendify.rules.horovod import _horovod
from ascendify.rules.kit import File, Fix
from ascendify.rules.kit.imports import remove_alias, replace_alias
from ascendify.source.flow import backward
from ascendify.source.flow.forward import Forward, Path, Slot, Step, attribute_reads
from ascendify.source.module import Module
from ascendify.source.nodes import ImportNode, attributes, is_called, is_literal, root_name, whole
from ascendify.source.scopes import Scope, parent, scope_of, statement
from ascendify.source.values import Ref


@dataclass(frozen=True)
class Imported:
    """One name that an import statement imports."""

    file: File
    node: ImportNode
    alias: ast.alias
    origin: str
    """Canonical dotted name of the imported object."""

    @property
    def local(self) -> str:
        """The name it gets in the file; ``import a.b`` gives ``a``."""
        if self.alias.asname:
            return self.alias.asname
        if isinstance(self.node, ast.Import):
            return self.alias.name.partition(".")[0]
        return self.alias.name

    @property
    def scope(self) -> Scope:
        """The scope the name is bound in."""
        scope = scope_of(parent(self.node))
        return scope.module if scope.outer.get(self.local) == "global" else scope

    @property
    def shown(self) -> str:
        """The name as the import statement spells it."""
        return self.alias.name + (f" as {self.alias.asname}" if self.alias.asname else "")


def imports(file: File) -> Iterator[Imported]:
    """Every name of Horovod that the file imports, directly or from another file of the project."""
    for node in file.module.index.imports:
        for alias in node.names:
            origin = _origin(file, node, alias)
            if origin is not None and alias.name != "*":
                yield Imported(file, node, alias, origin)


def _origin(file: File, node: ImportNode, alias: ast.alias) -> str | None:
    if isinstance(node, ast.Import):
        return alias.name if _horovod.concerns(alias.name) else None
    dotted = "." * node.level + (node.module or "")
    dotted += alias.name if dotted.endswith(".") else f".{alias.name}"
    if node.level == 0 and dotted.partition(".")[0] == "horovod":
        return dotted if _horovod.concerns(dotted) else None
    if file.facts.distributed != "horovod":
        return None
    values = file.resolver.imported(file.module, dotted)
    names = [value.name for value in values if isinstance(value, Ref)]
    return names[0] if names and all(_horovod.concerns(name) for name in names) else None


def uses(item: Imported) -> list[ast.expr]:
    """Mentions of the imported name in its file, whole attribute chains."""
    index = item.file.module.index
    scope = item.scope
    return [
        chain
        for chain in (*index.references, *index.stores)
        if (root := root_name(chain)) is not None
        and root.id == item.local
        and scope_of(root).find(item.local) is scope
    ]


def is_exported(item: Imported) -> bool:
    """Whether ``__all__`` names it, or another file uses it in a way no rule rewrites."""
    if item.scope.kind != "module":
        return False
    module = item.file.module
    if any(
        item.local in (item.file.literal(element) or ())
        for binding in module.index.module.bindings.get("__all__", ())
        if isinstance(binding.value, (ast.List, ast.Tuple))
        for element in binding.value.elts
    ):
        return True
    return any(
        not _outside(other, item) for other in item.file.resolver.project.importers(module.path)
    )


def _outside(module: Module, item: Imported) -> bool:
    """Whether every use another file makes of the name is one that is rewritten there."""
    if item.local not in module.source.text:
        return True
    file = item.file.of(module)
    for chain in module.index.references:
        root = root_name(chain)
        if root is None or not _comes_from(file, chain, item):
            continue
        if not is_rewritten(file, chain):
            return False
    return True


def _comes_from(file: File, chain: ast.expr, item: Imported) -> bool:
    """Whether a name of another file was imported through this file's binding."""
    root = root_name(chain)
    origins = {binding.origin for binding in ([] if root is None else backward.bindings(root))}
    project = file.resolver.project
    for origin in origins:
        located = project.locate(file.module.path, origin) if origin else None
        if located is None or located[0] != item.file.module.path:
            continue
        spelled = (*located[2], *attributes(chain))
        if spelled[:1] == (item.local,):
            return True
    return False


def is_rewritten(file: File, chain: ast.expr) -> bool:
    """Whether a mention is surely one that some rule of the family rewrites."""
    name = file.name(chain)
    called = _horovod.CALLED_EAGERLY if _horovod.is_eager(file) else _horovod.CALLED
    if name is None:
        return _horovod.is_rank_of_kept(file, chain)
    return name in _horovod.RANKS or (name in called and is_called(chain))


# a module object that is only tested or passed on


def is_mark(file: File, node: ast.expr) -> bool:
    """Whether the module object is only tested for being None, here and where it is passed to."""
    walk = _Mark(file)
    walk.follow(file.module, node)
    return walk.holds


class _Mark(Forward):
    """Follows the module object through tests and into functions."""

    def __init__(self, file: File) -> None:
        super().__init__(file.resolver)
        self.file = file
        self.holds = True

    def lost(self, module: Module, node: ast.AST) -> None:
        """Record that it may be used in another way."""
        self.holds = False

    def on_compare(self, module: Module, node: ast.expr, around: ast.Compare, path: Path) -> None:
        """Allow a comparison with None."""
        others = [item for item in (around.left, *around.comparators) if item is not node]
        if not all(is_literal(item, None) for item in others):
            self.lost(module, node)

    def on_member(self, module: Module, node: ast.expr, around: ast.Attribute, path: Path) -> None:
        """Allow a member of the module that a rule rewrites."""
        if not is_rewritten(self.file.of(module), whole(node)):
            self.lost(module, node)

    def argument(
        self, module: Module, call: ast.Call, node: ast.expr, slot: Slot, path: Path
    ) -> None:
        """Follow it into functions of the project."""
        values = self.resolver.infer(module, call.func)
        if self.file.of(module).name(call.func) == "builtins.bool":
            return
        entered = [self.entered(module, call, value) for value in values]
        if not entered or not all(
            item is not None and self.enter(*item, slot, path) for item in entered
        ):
            self.lost(module, node)

    def attribute(self, module: Module, target: ast.Attribute, path: Path) -> None:
        """Follow every attribute of this name in the project, of whatever object."""
        self._reads_named(target.attr)

    def class_attribute(
        self, module: Module, cls: ast.ClassDef | None, name: str, path: Path
    ) -> None:
        """Follow a property that gives the module in the same way."""
        self._reads_named(name)

    def _reads_named(self, name: str) -> None:
        if self.visited("reads", name):
            return
        project = self.resolver.project
        for module in map(project.module, project.relevant_with(name)):
            if module is not None:
                for node in attribute_reads(self.resolver, module, name):
                    self.follow(module, node)

    steps: ClassVar[Mapping[str, Step]] = {
        **dict.fromkeys(("Assign", "AnnAssign"), Forward.on_assignment),
        "Return": Forward.on_return,
        "arguments": Forward.on_default,
        **dict.fromkeys(("If", "While", "Assert", "UnaryOp"), Forward.on_read),
        **dict.fromkeys(("IfExp", "BoolOp"), Forward.on_whole),
        "Compare": on_compare,
        "Attribute": on_member,
        "keyword": Forward.on_keyword,
        "Call": Forward.on_call,
    }


# edits of import statements


def remove(fix: Fix, item: Imported) -> None:
    """Remove one name from its import, with a ``try`` that holds nothing else."""
    node, guard = item.node, parent(item.node)
    alone = len(node.names) == 1 and isinstance(guard, ast.Try) and guard.body == [node]
    if isinstance(guard, ast.Try) and alone and not guard.orelse and not guard.finalbody:
        fix.remove_statement(guard)
    else:
        remove_alias(fix, node, item.alias)


def stand_in(fix: Fix, item: Imported, module: str) -> bool:
    """Import another module under the same name; False where the statement does not allow it."""
    replaced = f"{module} as {item.local}"
    if len(item.node.names) == 1 and (item.alias.asname or isinstance(item.node, ast.ImportFrom)):
        fix.replace(statement(item.node), f"import {replaced}")
        return True
    if isinstance(item.node, ast.Import) and item.alias.asname:
        replace_alias(fix, item.node, item.alias, replaced)
        return True
    return False
