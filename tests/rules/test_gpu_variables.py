"""The doctor, the rules for programs and those for scripts say the same of every variable."""

from __future__ import annotations

import pytest

from ascendify.catalog import gpu_variables
from ascendify.catalog.gpu_variables import DEVICES, SETTING, GpuVariable
from ascendify.cluster import variables
from ascendify.findings import Finding, Status
from ascendify.rules.site import Facts
from support.rule_cases import Case, run

PROGRAMS = {"tensorflow": "TF1-GPU-4", "torch": "TORCH-ENV-3"}
SCRIPTS = {"tensorflow": "SH-ENV-1", "torch": "TORCH-ENV-3"}
RENAMED = {"torch": "TORCH-ENV-2"}
MIXED_PRECISION = "TF_ENABLE_AUTO_MIXED_PRECISION"
"""In programs the precision rules look after these."""

every_variable = pytest.mark.parametrize(
    "variable", gpu_variables.all_variables(), ids=lambda item: item.name
)
every_framework = pytest.mark.parametrize("framework", list(PROGRAMS))


def example(variable: GpuVariable) -> str:
    """A name that the entry stands for."""
    return variable.name.replace("*", "X")


def found(code: str, framework: str, text: str, suffix: str) -> list[Finding]:
    facts = Facts(
        entry_points=frozenset({"main.py"}),
        frameworks=frozenset({framework}),
        framework=framework,
    )
    return run(Case(code, "", text, facts=facts, suffix=suffix)).findings


def in_program(code: str, framework: str, name: str) -> list[Finding]:
    package = "tensorflow" if framework == "tensorflow" else "torch"
    text = f"import os\nimport {package}\nos.environ['{name}'] = '1'\n"
    return found(code, framework, text, ".py")


def in_script(code: str, framework: str, name: str) -> list[Finding]:
    return found(code, framework, f"export {name}=1\npython train.py\n", ".sh")


@every_variable
def test_the_doctor_warns_of_what_is_read_on_gpus_only(variable: GpuVariable) -> None:
    name = example(variable)
    reported = [each for each in variables.check({name: "1"}) if each.path == name]
    if variable.kind in (SETTING, DEVICES):
        assert [each.advice for each in reported] == [variable.instead() or "leave it out"]
    else:
        assert reported == []


@every_framework
@every_variable
def test_programs_and_scripts_are_told_the_same(variable: GpuVariable, framework: str) -> None:
    name = example(variable)
    unread = gpu_variables.find_unread(name, framework)
    script = in_script(SCRIPTS[framework], framework, name)
    program = in_program(PROGRAMS[framework], framework, name)
    if unread is None:
        assert script == program == []
        return
    assert len(script) == 1
    (finding,) = script
    advice = variable.instead(framework)
    assert finding.status is (Status.AUTO_CHECK if variable.check and advice else Status.AUTO)
    assert finding.todo == (advice if variable.check else "")
    assert advice in f"{finding.done} {finding.todo}"
    if not name.startswith(MIXED_PRECISION):
        assert [(each.status, each.found, each.todo) for each in program] == [
            (finding.status, finding.found, finding.todo)
        ]


@every_variable
def test_counterparts_are_written_in_programs_and_scripts(variable: GpuVariable) -> None:
    name, new = example(variable), variable.counterpart("torch")
    for reported in (in_program, in_script):
        findings = reported(RENAMED["torch"], "torch", name)
        if variable.kind == SETTING and new:
            assert [each.done for each in findings] == [f"Replaced it by {new}."]
            assert [each.todo for each in findings] == [variable.changes]
        else:
            assert findings == []
