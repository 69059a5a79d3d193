"""Environment variables a program sets for CUDA, NCCL, XLA or Horovod."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ascendify.findings import Status
from ascendify.rules import _gpu_variables
from ascendify.rules.rule import Diagnosis, Rule
from ascendify.rules.site import File, Site
from ascendify.rules.tf1 import _cleanup, _environment

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
)

_ELSEWHERE = "TF_ENABLE_AUTO_MIXED_PRECISION"
"""Variables of this name are the business of the precision rules."""


@RULE.reference(*_environment.REFERENCES)
def remove_variable(site: Site) -> Iterator[Diagnosis]:
    """``os.environ['NCCL_DEBUG'] = 'INFO'``."""
    use = _environment.use_at(site)
    if use is None or use.action != "set" or not _is_ours(use.variable):
        return
    file, target = site.file, use.statement
    if not _removable(file, target):
        yield site.finding(
            RULE,
            Status.INFO,
            f"{file.brief(target)} sets {use.variable}, which nothing on an NPU machine reads",
            at=target,
        )
        return
    fix = site.fix()
    _cleanup.remove(file, fix, target, lambda item: _removable(file, item))
    todo = _gpu_variables.instead(use.variable)
    yield site.finding(
        RULE,
        Status.AUTO_CHECK if todo else Status.AUTO,
        f"{use.variable} is read on GPU machines only",
        done=f"Removed {file.brief(target)}.",
        todo=todo,
        fix=fix,
        at=target,
    )


def _is_ours(variable: str) -> bool:
    return _gpu_variables.is_gpu_only(variable) and not variable.startswith(_ELSEWHERE)


def _removable(file: File, item: ast.stmt) -> bool:
    """Whether a statement only sets a variable of GPUs."""
    target = item.targets[0] if isinstance(item, ast.Assign) and len(item.targets) == 1 else None
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
        and use.action == "set"
        and _is_ours(use.variable)
        and use.is_whole_statement
        and (use.value is None or _cleanup.is_pure(file, use.value))
    )
