"""Examine CANN: which releases are installed, and whether this shell uses one of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ascendify.cluster.doctor.machine import Machine, pairs
from ascendify.cluster.doctor.observation import Observation, Subject

SUBJECT = Subject("CANN")
_BASES = ("/usr/local/Ascend", "~/Ascend")
_PLACES = ("ascend-toolkit/latest", "cann/latest", "cann", "nnae/latest")
_HOME_VARIABLES = ("ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME", "ASCEND_AICPU_PATH")
_OPERATORS = "ASCEND_OPP_PATH"
_INSTALL_INFO = "_install.info"
_CONTENT = ("version.cfg", "opp", "compiler", "fwkacllib", "set_env.sh", "runtime")
"""Files of an installation of CANN; each release has some of them."""


@dataclass(frozen=True)
class Toolkit:
    """One installation."""

    folder: str
    version: str
    """Empty when no file names it."""
    used: bool = False
    """Whether the variables of this shell name it."""

    @property
    def script(self) -> str:
        """The script that sets the variables."""
        parent = self.folder[: -len("/latest")] if self.folder.endswith("/latest") else self.folder
        return f"{parent}/set_env.sh"


def read(machine: Machine) -> tuple[Toolkit, ...]:
    """Find every installation, that of the environment first."""
    named = [machine.environment.get(name, "").rstrip("/") for name in _HOME_VARIABLES]
    bases = [base.replace("~", machine.home) for base in _BASES]
    folders = [*filter(None, named), *(f"{base}/{place}" for base in bases for place in _PLACES)]
    found: dict[str, Toolkit] = {}
    for folder in folders:
        if folder.startswith("/") and _is_toolkit(machine, folder):
            real = str(machine.path(folder).resolve())
            used = folder in named
            found.setdefault(real, Toolkit(folder, _version(machine, folder), used))
    return tuple(found.values())


def observe(machine: Machine, toolkits: Sequence[Toolkit], has_npu: bool) -> Iterator[Observation]:
    """Report the installations, and variables that are missing or name missing folders."""
    yield from _missing_folders(machine)
    if not toolkits:
        if has_npu:
            yield SUBJECT.problem(
                "no CANN under /usr/local/Ascend or ~/Ascend, although there are NPUs",
                "install the CANN toolkit and its operator package (kernels or ops)",
            )
        else:
            yield SUBJECT.not_seen("no CANN under /usr/local/Ascend or ~/Ascend")
        return
    for toolkit in toolkits:
        mark = ", used by this shell" if toolkit.used else ""
        yield SUBJECT.ok(f"{toolkit.version or 'unknown release'} in {toolkit.folder}{mark}")
    if not (any(toolkit.used for toolkit in toolkits) or _is_set_by_hand(machine)):
        yield SUBJECT.problem(
            "its environment is not set: no ASCEND_HOME_PATH", f"source {toolkits[0].script}"
        )
    yield from _check_mixed(machine, toolkits)


def _is_toolkit(machine: Machine, folder: str) -> bool:
    names = machine.names(folder) or []
    # a folder with an entry "latest" holds several releases, and is not one itself
    return "latest" not in names and any(
        name in _CONTENT or name.endswith(("-linux", _INSTALL_INFO)) for name in names
    )


def _version(machine: Machine, folder: str) -> str:
    """Return the release that the installer recorded; releases record it in different files."""
    names = machine.names(folder) or []
    for place in (folder, *(f"{folder}/{name}" for name in names if name.endswith("-linux"))):
        for file in machine.names(place) or ():
            if file.startswith("ascend_") and file.endswith(_INSTALL_INFO):
                version = pairs(machine.text(f"{place}/{file}") or "").get("version")
                if version:
                    return version
    config = machine.text(f"{folder}/version.cfg") or ""
    for kind in ("running", "installed"):
        # the newest of several releases comes last
        found = re.search(
            rf"^\s*(?:toolkit|runtime|nnae)_{kind}_version=.*:([^\]:]+)\]\s*$", config, re.M
        )
        if found:
            return found[1]
    real = machine.path(folder).resolve().name
    named = re.fullmatch(r"(?:cann-)?(\d+\.\d+\S*)", real)
    return named[1] if named else ""


def _missing_folders(machine: Machine) -> Iterator[Observation]:
    for name in (*_HOME_VARIABLES, _OPERATORS):
        folder = machine.environment.get(name)
        if folder and not machine.exists(folder):
            yield SUBJECT.problem(
                f"{name} is {folder}, which does not exist",
                "open a fresh shell and source the set_env.sh of the CANN that is installed",
            )


def _is_set_by_hand(machine: Machine) -> bool:
    """Whether the paths are set one by one, as in older launch scripts."""
    libraries = machine.environment.get("LD_LIBRARY_PATH", "")
    return bool(machine.environment.get(_OPERATORS)) and "fwkacllib" in libraries


def _check_mixed(machine: Machine, toolkits: Sequence[Toolkit]) -> Iterator[Observation]:
    libraries = machine.environment.get("LD_LIBRARY_PATH", "").split(":")
    reals = {
        toolkit.version
        for toolkit in toolkits
        for folder in libraries
        if toolkit.version and f"{folder}/".startswith(f"{toolkit.folder}/")
    }
    if len(reals) > 1:
        yield SUBJECT.warning(
            f"LD_LIBRARY_PATH names libraries of {' and '.join(sorted(reals))}",
            "open a fresh shell and source one set_env.sh only",
        )
