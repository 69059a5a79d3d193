"""Have the ranks of a plan write down when each of their steps ended, whatever they print.

A start-up module on the search path of their Python does it: see ``ascendify_startup.measure``. It
goes with the plan, so that it is found on servers that have no ascendify.
"""

from __future__ import annotations

from dataclasses import replace

from ascendify.emulation.environment import MEASURE
from ascendify.emulation.paths import STARTUP
from ascendify.errors import UsageError
from ascendify.launch.plan import SEARCH, Plan
from ascendify.processes.commands import read_python

_SHARED = (
    *("__init__", "import_hooks", "process_rank", "fetches", "keras_modules", "capture_gradients"),
    "torch_unscaled_loss",
)
"""Modules of the start-up package that measuring stands on."""


def measured(plan: Plan) -> Plan:
    """The same job, measured; each rank writes ``measure-<rank>.jsonl`` in the plan's folder.

    Raises:
        UsageError: its interpreter cannot be measured.
    """
    check(plan.command)
    told = {MEASURE: plan.folder, SEARCH: f"{plan.folder}/{STARTUP.name}"}
    return replace(
        plan,
        aids={**plan.aids, **_parts()},
        ranks=tuple(replace(rank, environment={**rank.environment, **told}) for rank in plan.ranks),
    )


def _parts() -> dict[str, str]:
    """The start-up module with all that measures, for the folder of the plan."""
    package = STARTUP / "ascendify_startup"
    paths = [
        STARTUP / "sitecustomize.py",
        *(package / f"{name}.py" for name in _SHARED),
        *sorted(package.glob("measure*.py")),
    ]
    return {
        path.relative_to(STARTUP.parent).as_posix(): path.read_text(encoding="utf-8")
        for path in paths
    }


def check(command: tuple[str, ...]) -> None:
    """Refuse an interpreter that would not look where the measuring is.

    Raises:
        UsageError: it is told to ignore its environment.
    """
    python = read_python(command)
    if python is not None and python.ignores_environment:
        raise UsageError(
            f"{command[0]} is told to ignore PYTHONPATH, which leads it to what measures",
            "leave out -I and -E, or --measure",
        )
