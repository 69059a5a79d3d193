"""The doctor: what is installed on a machine, whether it fits together, and what is in the way.

One file looks at one subject and says what it saw, line by line. All looking goes through
:class:`~ascendify.cluster.doctor.machine.Machine`; nothing is changed, and nothing is imported that
is looked at.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ascendify.cluster.doctor import (
    devices,
    disk,
    driver,
    fit,
    health,
    interpreter,
    leftovers,
    limits,
    npu_smi,
    ports,
    settings,
    toolkit,
)
from ascendify.cluster.doctor.machine import Machine
from ascendify.cluster.doctor.observation import Observation, State

__all__ = ["Examination", "Machine", "Observation", "State", "examine"]


@dataclass(frozen=True)
class Examination:
    """Everything that was seen of a machine."""

    observations: tuple[Observation, ...]
    installed: dict[str, Any]
    """What was found, for machines to read."""

    def count(self, state: State) -> int:
        """How many lines are in a state."""
        return sum(each.state is state for each in self.observations)


def examine(
    machine: Machine, python: str | None = None, *, require_npu: bool = False
) -> Examination:
    """Look at everything.

    Args:
        machine: What to look at.
        python: The interpreter that trains; the first on the PATH unless given.
        require_npu: A machine without an NPU is a problem.
    """
    numbers = devices.nodes(machine)
    smi = npu_smi.ask(machine)
    has_npu = bool(numbers or smi.chips)
    drivers = driver.read(machine)
    toolkits = toolkit.read(machine)
    asked = interpreter.ask(machine, python)

    def look() -> Iterator[Observation]:
        yield from driver.look(drivers, smi.driver, has_npu)
        yield from toolkit.look(machine, toolkits, has_npu)
        yield from interpreter.look(asked, bool(toolkits))
        yield from fit.look(drivers.version or smi.driver, toolkits, asked, machine.environment)
        yield from devices.look(machine, numbers)
        if require_npu and not has_npu:
            yield devices.SUBJECT.problem(
                "an NPU is required, and none was found", "run it where the NPUs are"
            )
        yield from health.look(machine, smi, bool(numbers))
        yield from settings.look(machine, smi.hardware)
        yield from ports.look(machine, has_npu)
        yield from leftovers.look(machine)
        yield from disk.look(machine, has_npu)
        yield from limits.look(machine, has_npu)

    installed = {
        "driver": drivers.version or smi.driver or None,
        "firmware": drivers.firmware or None,
        "cann": [
            {"folder": each.folder, "version": each.version or None, "used": each.used}
            for each in toolkits
        ],
        "python": {"program": asked.program, "version": asked.version or None},
        "packages": dict(asked.packages),
        "hardware": smi.hardware,
        "devices": list(numbers),
    }
    return Examination(tuple(look()), installed)
