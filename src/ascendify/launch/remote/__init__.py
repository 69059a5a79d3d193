"""Programs for servers that have no ascendify: a file each, the standard library, Python 3.6.

``agent.py`` runs one rank for the program at the other end of its standard input, and stops it
when that input is closed; it needs ``rank_of_plan.py``, which reads a rank from a plan file.
``probe.py`` checks whether a rank could start. ``nodes.py`` finds the names and addresses of the
servers that a scheduler has chosen, ``srun_step.py`` stops what srun has started, ``pod.py`` runs
the ranks of a pod, ``ray_server.py`` those of a server of Ray.
"""

from __future__ import annotations

import ast
from pathlib import Path

from ascendify.processes import guard

_HERE = Path(__file__).parent


def agent() -> str:
    """Return ``agent.py`` with everything it needs as one program."""
    front = (Path(guard.__file__), _HERE / "rank_of_plan.py")
    parts = (_parts(path) for path in front)
    return "\n".join((*parts, text("agent.py")))


def text(name: str) -> str:
    """Return the text of one of the files."""
    return (_HERE / name).read_text(encoding="utf-8")


def _parts(path: Path) -> str:
    """Return a module's text without annotations, which older interpreters do not support."""
    tree = _Bare().visit(ast.parse(path.read_text(encoding="utf-8")))
    return ast.unparse(ast.fix_missing_locations(tree))


class _Bare(ast.NodeTransformer):
    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        for argument in ast.walk(node.args):
            if isinstance(argument, ast.arg):
                argument.annotation = None
        return self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | None:
        return None if node.value is None else ast.Assign([node.target], node.value)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST | None:
        return None if node.module == "__future__" else node

    def visit_If(self, node: ast.If) -> ast.AST | None:
        is_program = "__name__" in ast.dump(node.test)
        return None if is_program else self.generic_visit(node)
