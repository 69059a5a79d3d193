"""Let all ranks draw the same random numbers in Python, to read samples in one order."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ascendify.rules.kit import File, Fix
from ascendify.source.module import Module

SHARED_SEED = 20
"""An arbitrary number. ``verify`` starts the original with the same one, so that results agree."""
TEXT = """\
if int({os}.getenv("RANK_SIZE", "1")) > 1:
{indent}# all ranks must draw their samples in one order
{indent}{random}.seed({seed})
{indent}{numpy}.random.seed({seed})"""
_SEEDS = ("numpy.random.seed", "random.seed")
_DRAWS = frozenset(
    {"shuffle", "permutation", "sample", "choice", "rand", "randn", "randint", "random", "uniform",
     "normal", "random_sample"}
)  # fmt: skip
_FROM = ("numpy.random.", "random.")


def statements(fix: Fix) -> str:
    """Statements that give random and NumPy one seed on all ranks, where there are several."""
    return TEXT.format(
        os=fix.use("os"),
        random=fix.use("random"),
        numpy=fix.use("numpy"),
        indent=fix.indent_unit,
        seed=SHARED_SEED,
    )


def insert_behind_imports(file: File, fix: Fix) -> None:
    """Insert the seeds at the top of a file that sets none."""
    first = _behind_imports(file)
    if first is not None and not is_seeded(file):
        fix.insert_above(first, statements(fix))


def is_seeded(file: File) -> bool:
    """Whether the file gives Python's random numbers a seed."""
    return next(file.references(*_SEEDS), None) is not None


def draws(file: File) -> bool:
    """Whether a file, one that it imports or one that imports it draws random numbers in Python."""
    return any(
        name.startswith(_FROM)
        for module in _around(file)
        for node in module.index.ending(_DRAWS)
        for name in file.resolver.names(module, node)[0]
    )


def _around(file: File) -> Iterator[Module]:
    """The file, those that it imports and those that import it, parsed one after the other."""
    project = file.resolver.project
    yield file.module
    paths = (
        *project.imports(file.path, file.module.source.text),
        *project.importer_paths(file.path),
    )
    for path in paths:
        module = project.module(path)
        if module is not None:
            yield module


def _behind_imports(file: File) -> ast.stmt | None:
    """The first statement of a file that imports nothing."""
    for node in file.module.tree.body:
        text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        tried = isinstance(node, ast.Try) and isinstance(node.body[0], (ast.Import, ast.ImportFrom))
        if not (text or tried or isinstance(node, (ast.Import, ast.ImportFrom))):
            return node
    return None
