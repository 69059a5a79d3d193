"""Import statements of a file: which packages they bring in, and what they are for."""

from __future__ import annotations

import ast
from typing import Union

from ascendify.rules.site import File
from ascendify.source.scopes import ancestors

Statement = Union[ast.Import, ast.ImportFrom]
FAMILY = (
    "torchvision", "torchaudio", "torchtext", "transformers", "accelerate", "datasets", "peft",
    "trl", "diffusers", "pytorch_lightning", "lightning", "deepspeed", "timm", "mmcv", "mmengine",
    "mmdet", "fairseq", "detectron2", "apex", "ignite", "fastai",
)  # fmt: skip
"""Packages that import torch themselves."""


def of(file: File, *packages: str) -> list[Statement]:
    """The statements that import from one of these packages, in the order they are written."""
    found = [node for node in file.module.index.imports if any(r in packages for r in roots(node))]
    return sorted(found, key=lambda node: (node.lineno, node.col_offset))


def roots(node: Statement) -> list[str]:
    """The packages a statement imports from; a relative import has none."""
    if isinstance(node, ast.ImportFrom):
        return [] if node.level else [(node.module or "").partition(".")[0]]
    return [alias.name.partition(".")[0] for alias in node.names]


def is_plain(node: Statement) -> bool:
    """Whether a statement is ``import torch``, under whatever name."""
    return isinstance(node, ast.Import) and any(alias.name == "torch" for alias in node.names)


def is_for_types(node: ast.AST) -> bool:
    """Whether a statement is read by type checkers only and never runs."""
    return any(
        isinstance(around, ast.If)
        and (getattr(around.test, "id", None) or getattr(around.test, "attr", None))
        == "TYPE_CHECKING"
        for around in ancestors(node)
    )


def is_entry(file: File) -> bool:
    """Whether the file is what people run: a script or a notebook."""
    return file.is_entry or file.path.endswith(".ipynb")
