"""Variables of CUDA and NCCL that nothing on an NPU machine reads."""

from __future__ import annotations

from ascendify.rules import _environment
from ascendify.rules.kit import Diagnoses, Rule, Site, Status, TextSite
from ascendify.rules.shell import _removal
from ascendify.rules.torch import _variables

RULE = Rule(
    code="TORCH-ENV-3",
    title="Remove variables that only GPUs read",
    why=(
        "Settings of NCCL, cuBLAS and the CUDA driver have no reader on an NPU machine. Left in a "
        "program they make people believe that something is set which is not."
    ),
    statuses=(Status.AUTO, Status.AUTO_CHECK, Status.INFO),
    before="os.environ['NCCL_IB_DISABLE'] = '1'",
    after="",
    framework="torch",
)


@RULE.reference(*_environment.REFERENCES)
def remove_from_program(site: Site) -> Diagnoses:
    """``os.environ['NCCL_DEBUG'] = 'INFO'``; what is read is only told."""
    use = _environment.use_at(site)
    if use is None or not _variables.is_gpu_only(use.variable):
        return
    file, target = site.file, use.statement
    todo = _variables.instead(use.variable)
    if use.action == "read" or not use.is_whole_statement:
        yield RULE.info(
            site.at(use.node),
            f"{file.brief(use.node)} is about a variable that nothing on an NPU machine reads",
        )
        return
    fix = site.fix()
    fix.remove_statement(target)
    yield RULE.fixed(
        site.at(target),
        f"{use.variable} is read on GPU machines only",
        done=f"Removed {file.brief(target)}.",
        todo=todo,
        fix=fix,
    )


@RULE.text("shell")
def remove_from_script(site: TextSite) -> Diagnoses:
    """Assignments and exports; one that the script itself reads is only noted."""
    return _removal.remove_variables(site, RULE, _variables.is_gpu_only, _variables.instead)
