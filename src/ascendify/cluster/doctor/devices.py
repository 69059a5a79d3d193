"""Examine device nodes: whether they exist, this user may open them, and they have addresses."""

from __future__ import annotations

import ipaddress
import re
from collections import Counter
from collections.abc import Iterator, Sequence

from ascendify.cluster.doctor.machine import Machine
from ascendify.cluster.doctor.observation import Observation, Subject
from ascendify.cluster.variables import devices as visible_devices

SUBJECT = Subject("devices")
_MANAGERS = ("davinci_manager", "devmm_svm", "hisi_hdc")
"""Nodes that every process needs in addition to that of its device."""
_ADDRESSES = "/etc/hccn.conf"
_GROUP = "HwHiAiUser"


def nodes(machine: Machine) -> tuple[int, ...]:
    """Return the numbers of the device nodes."""
    found = (re.fullmatch(r"davinci(\d+)", name) for name in machine.names("/dev") or ())
    return tuple(sorted(int(match[1]) for match in found if match))


def observe(machine: Machine, numbers: Sequence[int]) -> Iterator[Observation]:
    """Examine nodes, permissions, the variables that choose devices, and addresses."""
    if not numbers:
        yield SUBJECT.not_seen(
            "no NPU: /dev/davinci0 and the like are missing",
            "in a container: start it with --device /dev/davinciN and the managers",
        )
        return
    yield SUBJECT.ok(f"{_count(numbers)}: /dev/davinci{ranges(numbers)}")
    yield from _managers(machine)
    yield from _permissions(machine, numbers)
    yield from _check_chosen(machine, numbers)
    yield from _addresses(machine, numbers)


def _managers(machine: Machine) -> Iterator[Observation]:
    missing = [name for name in _MANAGERS if not machine.exists(f"/dev/{name}")]
    if missing:
        options = " ".join(f"--device /dev/{name}" for name in missing)
        yield SUBJECT.problem(
            f"/dev/{' and /dev/'.join(missing)} {'is' if len(missing) == 1 else 'are'} missing",
            f"in a container: start it with {options}; else load the driver",
        )


def _permissions(machine: Machine, numbers: Sequence[int]) -> Iterator[Observation]:
    names = [*(f"davinci{number}" for number in numbers), *_MANAGERS]
    refused = [
        name
        for name in names
        if machine.exists(f"/dev/{name}") and not machine.usable(machine.path(f"/dev/{name}"))
    ]
    if refused:
        yield SUBJECT.problem(
            f"this user may not open {', '.join(f'/dev/{name}' for name in refused)}",
            f"usermod -aG {_GROUP} USER as root, then log in again",
        )


def _check_chosen(machine: Machine, numbers: Sequence[int]) -> Iterator[Observation]:
    visible = visible_devices(machine.environment.get("ASCEND_RT_VISIBLE_DEVICES", ""))
    absent = [number for number in visible or () if number >= len(numbers)]
    if absent:
        yield SUBJECT.problem(
            f"ASCEND_RT_VISIBLE_DEVICES names {', '.join(map(str, absent))}, and there are "
            f"{_count(numbers)}",
            f"use numbers from 0 to {len(numbers) - 1}",
        )
    chosen = machine.environment.get("ASCEND_DEVICE_ID", "")
    if visible is None and chosen.isdecimal() and int(chosen[:9]) >= len(numbers):
        yield SUBJECT.problem(
            f"ASCEND_DEVICE_ID is {chosen}, and there are {_count(numbers)}",
            f"use a number from 0 to {len(numbers) - 1}",
        )


def _addresses(machine: Machine, numbers: Sequence[int]) -> Iterator[Observation]:
    text = machine.text(_ADDRESSES)
    if text is None:
        yield SUBJECT.not_seen(
            f"{_ADDRESSES} is missing or cannot be read: it has the devices' addresses",
            "needed for several servers, and on 910A servers; mount it into containers",
        )
        return
    found = dict(re.findall(r"^\s*address_(\d+)\s*=\s*(\S+)\s*$", text, re.M))
    lacking = [number for number in numbers if str(number) not in found]
    if lacking:
        yield SUBJECT.warning(
            f"{_ADDRESSES} has no address for device {', '.join(map(str, lacking))}",
            "for several servers: hccn_tool -i N -ip -s address A.B.C.D netmask 255.255.255.0",
        )
    wrong = [address for address in found.values() if not _is_address(address)]
    twice = [address for address, times in Counter(found.values()).items() if times > 1]
    for address in (*wrong, *twice):
        fault = "is not an IP address" if address in wrong else "belongs to two devices"
        yield SUBJECT.problem(f"{_ADDRESSES}: {address} {fault}", "set it with hccn_tool -ip -s")
    if found and not (lacking or wrong or twice):
        yield SUBJECT.ok(f"{_ADDRESSES} has {len(found)} addresses")


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def _count(numbers: Sequence[int]) -> str:
    return f"{len(numbers)} device{'s' if len(numbers) > 1 else ''}"


def ranges(numbers: Sequence[int]) -> str:
    """Format device numbers: ``0 to 7``, or ``0, 2, 5`` where some are left out."""
    whole = list(numbers) == list(range(numbers[0], numbers[-1] + 1)) and len(numbers) > 1
    return f"{numbers[0]} to {numbers[-1]}" if whole else ", ".join(map(str, numbers))
