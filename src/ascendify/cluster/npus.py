"""Find the NPUs of this machine, for commands that emulate them on the CPU."""

from __future__ import annotations

from ascendify.cluster.doctor import devices, driver
from ascendify.cluster.doctor.machine import Machine
from ascendify.errors import UsageError


def find(machine: Machine | None = None) -> str:
    """Describe the NPUs of this machine, ``/dev/davinci0 to 7, driver 25.2.0``; empty without any.

    Only a numbered device node counts: a container that was given no device still has the driver
    and ``/dev/davinci_manager``, but cannot train on an NPU.
    """
    machine = machine or Machine()
    numbers = devices.nodes(machine)
    if not numbers:
        return ""
    version = driver.read(machine).version
    return f"/dev/davinci{devices.ranges(numbers)}" + (f", driver {version}" if version else "")


def check_emulated_on_purpose(emulate: bool, real: str, machine: Machine | None = None) -> str:
    """Return a note that the NPUs of this machine are not used; empty on a machine without any.

    Args:
        emulate: Whether the user gave ``--emulate``.
        real: The command that uses the NPUs.
        machine: The machine to examine; by default this one.

    Raises:
        UsageError: there are NPUs, and the user did not give ``--emulate``.
    """
    npus = find(machine)
    if not npus:
        return ""
    if not emulate:
        raise UsageError(
            f"this machine has an NPU ({npus}), and this command computes on the CPU in its place",
            f"train on the NPU: {real}; or emulate it all the same: add --emulate",
        )
    return f"this machine has an NPU ({npus}); --emulate leaves it alone and computes on the CPU"
