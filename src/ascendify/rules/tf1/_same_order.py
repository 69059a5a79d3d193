"""Let all ranks draw the same random numbers in Python, to read samples in one order."""

from __future__ import annotations

import ast

from ascendify.rules.kit import File, Fix

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
    project = file.resolver.project
    around = (file.module, *project.imported(file.module), *project.importers(file.module.path))
    return any(
        name.startswith(_FROM)
        for module in around
        for node in module.index.ending(_DRAWS)
        for name in file.resolver.names(module, node)[0]
    )


def _behind_imports(file: File) -> ast.stmt | None:
    """The first statement of a file that imports nothing."""
    for node in file.module.tree.body:
        text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        tried = isinstance(node, ast.Try) and isinstance(node.body[0], (ast.Import, ast.ImportFrom))
        if not (text or tried or isinstance(node, (ast.Import, ast.ImportFrom))):
            return node
    return None
