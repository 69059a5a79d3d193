"""Jobs whose devices are emulated on this machine: their servers, and what to check before."""

from __future__ import annotations

from collections.abc import Callable

from ascendify.cluster import npus, topology
from ascendify.cluster.inventory import Inventory, spread
from ascendify.cluster.problem import errors
from ascendify.emulation.environment import DEFAULT_SOC, SOCS, check_soc, check_torch_npu
from ascendify.errors import UsageError


def servers(devices: int, soc: str | None, *, once: bool = False) -> Inventory:
    """The servers that so many devices are in, the first ones full.

    A command that starts the ranks itself is started once: it finds the devices of one server.
    """
    found = spread(devices, topology.find(soc or DEFAULT_SOC).devices)
    return Inventory(found.servers[:1]) if once else found


def hardware_allows(devices: int, soc: str | None = None) -> bool:
    """Whether servers of that hardware can run a job of so many devices.

    Without a name it is the oldest, whose devices work together in fixed numbers.
    """
    hardware = topology.find(soc or SOCS[0])
    return not errors(topology.allowed(hardware.name, spread(devices, hardware.devices)))


def check(
    devices: int, soc: str | None, warn: Callable[[str], None], *, emulate: bool, real: str
) -> None:
    """Refuse devices that cannot be emulated, or that must not be.

    Args:
        devices: How many ranks there are.
        soc: The hardware; None for the usual one.
        warn: Called with a line about NPUs of this machine that are not used.
        emulate: Whether the user gave ``--emulate``.
        real: The command that uses the NPUs of this machine.

    Raises:
        UsageError: what is wrong, and what to do.
    """
    if devices < 1:
        raise UsageError(f"--devices {devices} leaves nothing to run", "give 1 or more")
    check_soc(soc)
    check_torch_npu()
    warning = npus.check_emulated_on_purpose(emulate, real)
    if warning:
        warn(warning)
