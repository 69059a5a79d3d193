"""Environment variables a program sets for CUDA, NCCL, XLA or Horovod."""

from __future__ import annotations

import ast

from ascendify.rules import _environment, _gpu_variables
from ascendify.rules.kit import Diagnoses, File, Rule, Site, Status, removal
from ascendify.source.scopes import parent, statement

RULE = Rule(
    code="TF1-GPU-4",
    title="Remove environment variables that only GPUs read",
    why=(
        "Variables of CUDA, cuDNN, NCCL and Horovod have no reader on an NPU machine, and "
        "TF_XLA_FLAGS may switch XLA on, which takes operators away from the NPU."
    ),
    statuses=(Status.AUTO, Status.AUTO_CHECK, Status.INFO),
    before="os.environ['TF_XLA_FLAGS'] = '--tf_xla_auto_jit=2'",
    after="",
    framework="tensorflow",
)

_ELSEWHERE = "TF_ENABLE_AUTO_MIXED_PRECISION"
"""Variables of this name are the business of the precision rules."""


@RULE.reference(*_environment.REFERENCES)
def remove_variable(site: Site) -> Diagnoses:
    """``os.environ['NCCL_DEBUG'] = 'INFO'``."""
    use = _environment.use_at(site)
    if use is None or use.action == "read" or not _is_ours(use.variable):
        return
    file, target = site.file, use.statement
    if not _removable(file, target):
        if use.action != "set":
            return
        yield RULE.info(
            site.at(target),
            f"{file.brief(target)} sets {use.variable}, which nothing on an NPU machine reads",
        )
        return
    fix = site.fix()
    removal.remove(file, fix, target, lambda item: _removable(file, item))
    todo = _gpu_variables.instead(use.variable)
    yield RULE.fixed(
        site.at(target),
        f"{use.variable} is of use on GPU machines only",
        done=f"Removed {file.brief(target)}.",
        todo=todo,
        fix=fix,
    )


def _is_ours(variable: str) -> bool:
    return _gpu_variables.is_gpu_only(variable) and not variable.startswith(_ELSEWHERE)


def _removable(file: File, item: ast.stmt) -> bool:
    """Whether a statement only sets or drops a variable of GPUs that the file never reads."""
    target: ast.expr | None = None
    if isinstance(item, (ast.Assign, ast.Delete)) and len(item.targets) == 1:
        target = item.targets[0]
    mention: ast.expr | None = None
    if isinstance(target, ast.Subscript):
        mention = target.value
    elif isinstance(item, ast.Expr) and isinstance(item.value, ast.Call):
        mention = item.value.func
    name = None if mention is None else file.name(mention)
    if mention is None or name is None:
        return False
    use = _environment.use_at(Site(file, mention, name))
    return (
        use is not None
        and use.action != "read"
        and _is_ours(use.variable)
        and use.is_whole_statement
        and (use.value is None or removal.is_pure(file, use.value))
        and not _is_read(file, use.variable)
    )


def _is_read(file: File, variable: str) -> bool:
    """Whether a file names the variable for anything but setting or dropping it."""
    return any(
        node.value == variable and not _is_set(file, node)
        for node in file.module.index.of(ast.Constant)
    )


def _is_set(file: File, key: ast.Constant) -> bool:
    item = statement(key)
    for target in getattr(item, "targets", ()):
        if isinstance(target, ast.Subscript) and file.name(target.value) == "os.environ":
            variable = file.literal(target.slice)
            return variable == (key.value,)
    owner = parent(key)
    return (
        isinstance(owner, ast.Call)
        and isinstance(item, ast.Expr)
        and item.value is owner
        and file.name(owner.func) in _environment.CHANGES
    )
