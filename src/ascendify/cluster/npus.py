"""Whether this machine has NPUs, for commands that run on a CPU in their place."""

from __future__ import annotations

from ascendify.cluster.doctor import devices, driver
from ascendify.cluster.doctor.machine import Machine
from ascendify.errors import UsageError


def found(machine: Machine | None = None) -> str:
    """The NPUs of this machine in words, ``/dev/davinci0 to 7, driver 25.2.0``; empty without any.

    Only a numbered device node counts. The driver and ``/dev/davinci_manager`` alone are what a
    container has that was given no device: nothing can be trained there.
    """
    machine = machine or Machine()
    numbers = devices.nodes(machine)
    if not numbers:
        return ""
    version = driver.read(machine).version
    return f"/dev/davinci{devices.ranges(numbers)}" + (f", driver {version}" if version else "")


def check_emulated_on_purpose(emulate: bool, real: str, machine: Machine | None = None) -> str:
    """What to tell of NPUs that are left alone; empty on a machine without any.

    Args:
        emulate: Whether the user asked for the emulation, with ``--emulate``.
        real: The command that uses the NPUs.
        machine: The machine to look at; this one unless given.

    Raises:
        UsageError: there are NPUs, and the user did not say that they are to be left alone.
    """
    npus = found(machine)
    if not npus:
        return ""
    if not emulate:
        raise UsageError(
            f"this machine has an NPU ({npus}), and this command computes on the CPU in its place",
            f"train on the NPU: {real}; or emulate it all the same: add --emulate",
        )
    return f"this machine has an NPU ({npus}); --emulate leaves it alone and computes on the CPU"
