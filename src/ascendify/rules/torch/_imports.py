"""Import statements of a file: which packages they import, and edits of them."""

from __future__ import annotations

import ast
from typing import Union

from ascendify.rules.kit import File, Fix
from ascendify.source.nodes import last_name, position
from ascendify.source.scopes import ancestors

Statement = Union[ast.Import, ast.ImportFrom]
TRAINERS = (
    "transformers", "accelerate", "peft", "trl", "diffusers", "pytorch_lightning", "lightning",
    "deepspeed", "mmcv", "mmengine", "mmdet", "fairseq", "detectron2", "ignite", "fastai",
)  # fmt: skip
"""Packages that choose a device for programs which never mention torch."""
FAMILY = (*TRAINERS, "torchvision", "torchaudio", "torchtext", "timm", "apex")
"""Packages that import torch themselves."""


def of(file: File, *packages: str) -> list[Statement]:
    """The statements that import from one of these packages, in source order.

    A package of the project with the same name does not count.
    """
    if file.module.index.import_roots.isdisjoint(packages):
        return []
    locate = file.resolver.project.locate
    found = [
        node
        for node in file.module.index.imports
        if any(root in packages and locate(file.path, root) is None for root in roots(node))
    ]
    return sorted(found, key=position)


def roots(node: Statement) -> list[str]:
    """The packages a statement imports from; a relative import has none."""
    if isinstance(node, ast.ImportFrom):
        return [] if node.level else [(node.module or "").partition(".")[0]]
    return [alias.name.partition(".")[0] for alias in node.names]


def is_plain(node: Statement) -> bool:
    """Whether a statement is ``import torch``, under whatever name."""
    return isinstance(node, ast.Import) and any(alias.name == "torch" for alias in node.names)


def is_for_types(node: ast.AST) -> bool:
    """Whether a statement is for type checkers only and never runs."""
    return any(
        isinstance(around, ast.If) and last_name(around.test) == "TYPE_CHECKING"
        for around in ancestors(node)
    )


def is_entry(file: File) -> bool:
    """Whether people run the file to train or infer: a script or a notebook, but not setup.py."""
    name = file.path.rpartition("/")[2]
    return (file.is_entry and name != "setup.py") or name.endswith(".ipynb")


def spelled(alias: ast.alias) -> str:
    """A name of an import as it is written."""
    return f"{alias.name} as {alias.asname}" if alias.asname else alias.name


def move(
    fix: Fix, node: ast.ImportFrom, moved: dict[str, list[str]], left: list[str], renamed: bool
) -> None:
    """Import names of a statement from other modules, and those in ``left`` from the old one.

    Where all names move to one module and keep their names, only the module name is edited.
    """
    if len(moved) == 1 and not left and not renamed:
        old = node.module or ""
        at = fix.module.start(node) + fix.module.segment(node).index(old)
        fix.replace_range(at, at + len(old), next(iter(moved)))
        return
    lines = [f"from {home} import {', '.join(items)}" for home, items in moved.items()]
    rest = [f"from {node.module} import {', '.join(left)}"] if left else []
    fix.replace_statement(node, [*lines, *rest])
