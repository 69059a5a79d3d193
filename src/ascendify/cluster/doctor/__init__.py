"""The doctor: examine whether a machine is ready to train, and say what to do if not.

Each module examines one subject and yields observations, the lines of the report. All access goes
through :class:`~ascendify.cluster.doctor.machine.Machine`. Nothing is changed on the machine, and
no framework is imported.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ascendify.cluster.doctor import (
    compatibility,
    devices,
    disk,
    driver,
    environment,
    health,
    interpreter,
    leftovers,
    limits,
    npu_smi,
    ports,
    toolkit,
)
from ascendify.cluster.doctor.machine import Machine
from ascendify.cluster.doctor.observation import Observation, ObservationState

__all__ = ["Examination", "Machine", "Observation", "ObservationState", "examine"]

_SCHEMA = 1
"""Version of the JSON report."""


@dataclass(frozen=True)
class Examination:
    """All observations of a machine."""

    observations: tuple[Observation, ...]
    installed: dict[str, Any]
    """Installed versions and devices, for the JSON report."""

    def count(self, state: ObservationState) -> int:
        """Count the observations of a state."""
        return sum(each.state is state for each in self.observations)

    def to_dict(self) -> dict[str, Any]:
        """The examination as plain data, for JSON."""
        return {
            "schema": _SCHEMA,
            "counts": {state.value: self.count(state) for state in ObservationState},
            "installed": self.installed,
            "observations": [
                {
                    "subject": each.subject,
                    "state": each.state.value,
                    "text": each.text,
                    "advice": each.advice,
                }
                for each in self.observations
            ],
        }


def examine(
    machine: Machine, python: str | None = None, *, require_npu: bool = False
) -> Examination:
    """Examine every subject.

    Args:
        machine: The machine to examine.
        python: The interpreter that trains; by default the first on the PATH.
        require_npu: Whether a machine without an NPU is a problem.
    """
    numbers = devices.nodes(machine)
    smi = npu_smi.query(machine)
    has_npu = bool(numbers or smi.chips)
    drivers = driver.read(machine)
    toolkits = toolkit.read(machine)
    queried = interpreter.query(machine, python)

    def observe() -> Iterator[Observation]:
        yield from driver.observe(drivers, smi.driver, has_npu)
        yield from toolkit.observe(machine, toolkits, has_npu)
        yield from interpreter.observe(queried, bool(toolkits))
        yield from compatibility.observe(
            drivers.version or smi.driver, toolkits, queried, machine.environment
        )
        yield from devices.observe(machine, numbers)
        if require_npu and not has_npu:
            yield devices.SUBJECT.problem(
                "an NPU is required, and none was found", "run it where the NPUs are"
            )
        yield from health.observe(machine, smi, bool(numbers))
        yield from environment.observe(machine, smi.hardware)
        yield from ports.observe(machine, has_npu)
        yield from leftovers.observe(machine)
        yield from disk.observe(machine, has_npu)
        yield from limits.observe(machine, has_npu)

    installed = {
        "driver": drivers.version or smi.driver or None,
        "firmware": drivers.firmware or None,
        "cann": [
            {"folder": each.folder, "version": each.version or None, "used": each.used}
            for each in toolkits
        ],
        "python": {"program": queried.program, "version": queried.version or None},
        "packages": dict(queried.packages),
        "hardware": smi.hardware,
        "devices": list(numbers),
    }
    return Examination(tuple(observe()), installed)
