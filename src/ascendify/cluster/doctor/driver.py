"""Examine driver and firmware: their releases, and whether the driver supports the firmware."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ascendify.cluster.doctor.machine import Machine, pairs
from ascendify.cluster.doctor.observation import Observation, Subject

SUBJECT = Subject("driver and firmware")
_INSTALL_INFO = "/etc/ascend_install.info"
_DEFAULT = "/usr/local/Ascend"


@dataclass(frozen=True)
class Driver:
    """Releases of driver and firmware, from their version files."""

    version: str = ""
    firmware: str = ""
    firmware_from: str = ""
    firmware_to: str = ""
    """The last firmware release the driver says it works with."""
    folder: str = f"{_DEFAULT}/driver"


def read(machine: Machine) -> Driver:
    """Read the version files, in the folder that the installer recorded."""
    install = pairs(machine.text(_INSTALL_INFO) or "")
    base = (install.get("driver_install_path_param") or _DEFAULT).rstrip("/")
    driver = pairs(machine.text(f"{base}/driver/version.info") or "")
    firmware = pairs(machine.text(f"{base}/firmware/version.info") or "")
    limits = re.fullmatch(
        r"\[\s*([\d.]+)\s*,\s*([\d.]+)\s*\]", driver.get("compatible_version_fw", "")
    )
    return Driver(
        version=driver.get("version", ""),
        firmware=firmware.get("version", ""),
        firmware_from=limits[1] if limits else "",
        firmware_to=limits[2] if limits else "",
        folder=f"{base}/driver",
    )


def observe(driver: Driver, answered: str, has_npu: bool) -> Iterator[Observation]:
    """Compare the releases; ``answered`` is the driver release npu-smi names, or empty."""
    version = driver.version or answered
    if not version:
        if has_npu:
            yield SUBJECT.warning(
                f"no {driver.folder}/version.info, although there are NPUs",
                f"install the driver; in a container mount {driver.folder}",
            )
        else:
            yield SUBJECT.not_seen(f"no driver: {driver.folder}/version.info is missing")
        return
    yield SUBJECT.ok(f"driver {version}")
    if driver.version and answered and driver.version.lower() != answered.lower():
        yield SUBJECT.warning(
            f"npu-smi reports driver {answered}, but {driver.folder} has {driver.version}",
            "restart the server after an upgrade; in a container mount the host's driver",
        )
    if not driver.firmware:
        yield SUBJECT.not_seen("firmware: no version file, as is usual in containers")
    elif _outside(driver):
        yield SUBJECT.problem(
            f"firmware {driver.firmware}: driver {version} works with "
            f"{driver.firmware_from} to {driver.firmware_to}",
            "install the firmware that belongs to the driver, then restart the server",
        )
    else:
        yield SUBJECT.ok(f"firmware {driver.firmware}")


def _outside(driver: Driver) -> bool:
    if not (driver.firmware_from and re.match(r"\d+(\.\d+)*", driver.firmware)):
        return False
    found = _numbers(driver.firmware)
    # the limits have fewer parts than the release: 7.7.99 covers 7.7.0.1.231
    high = _numbers(driver.firmware_to)
    return found < _numbers(driver.firmware_from) or found[: len(high)] > high


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", version)[:6]))
