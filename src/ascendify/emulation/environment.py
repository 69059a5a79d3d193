"""Environment variables for the stand-ins: the emulated hardware, and what to record where."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ascendify.catalog import hardware, torch_releases, versions
from ascendify.emulation import records
from ascendify.emulation.paths import COMMANDS, PACKAGES, STARTUP
from ascendify.errors import UsageError, did_you_mean

MEASURE = "ASCENDIFY_MEASURE"
"""The folder in which a rank records its steps; see ``ascendify_startup.measure``."""
TORCH_NPU = "ASCENDIFY_TORCH_NPU"
"""The release of torch_npu to emulate; see ``torch_npu._release``."""
_FIRST_TORCH = (2, 1)
"""The oldest line of PyTorch that there is a stand-in for."""
SOCS = hardware.emulated()
"""The families of training hardware that can be emulated, the oldest first."""
DEFAULT_SOC = "910B"
_GPU_HIDING = {
    "CUDA_VISIBLE_DEVICES": "-1",
    "HIP_VISIBLE_DEVICES": "-1",
    "ROCR_VISIBLE_DEVICES": "-1",
}
"""What the libraries of NVIDIA and AMD read, and the values for which they find no GPU."""
HIDDEN_GPU = {
    **_GPU_HIDING,
    # read by container runtimes that a program may start
    "NVIDIA_VISIBLE_DEVICES": "void",
    # the start-up module keeps the values above even where a program sets its own
    "ASCENDIFY_HIDE_GPU": " ".join(f"{name}={value}" for name, value in _GPU_HIDING.items()),
}
"""Variables with which a process finds no GPU, even if this machine has one."""


@dataclass(frozen=True)
class Emulation:
    """How the NPU is emulated for the ranks of a job, and what the stand-ins record."""

    soc: str = DEFAULT_SOC
    strict: bool = False
    """Whether they report what a device would refuse."""
    audit: bool = False
    """Whether they count what runs on the device."""
    measure: bool = False
    """Whether they time training steps."""


def new_address(port: int) -> str:
    """Choose the address of the stand-ins' rank 0: host, port and a secret token of the job."""
    return f"127.0.0.1:{port}:{secrets.token_hex(8)}"


def stand_in_variables(
    emulation: Emulation, rank: int, *, address: str, devices: int, project: Path, folder: Path
) -> dict[str, str]:
    """Return the variables that the stand-ins read in the process of a rank.

    Args:
        emulation: What is emulated and recorded.
        rank: The number of the rank.
        address: Where rank 0 listens, from :func:`new_address`.
        devices: How many devices the emulated server has.
        project: The folder of the user's files.
        folder: Gets what the stand-ins record.
    """
    kinds = {
        "ASCENDIFY_FINDINGS": "findings" if emulation.strict else "",
        "ASCENDIFY_AUDIT": "audit" if emulation.audit else "",
        "ASCENDIFY_EMULATION": "emulation",
    }
    return {
        # An NPU machine has no GPU, and ranks that share one would run out of its memory.
        **HIDDEN_GPU,
        "ASCENDIFY_JOB": address,
        "ASCENDIFY_ROOT": str(project),
        "ASCENDIFY_SOC": emulation.soc,
        "ASCENDIFY_DEVICES": str(devices),
        **({"ASCENDIFY_STRICT": "1"} if emulation.strict else {}),
        **({MEASURE: str(folder)} if emulation.measure else {}),
        **{name: str(records.path_of(folder, kind, rank)) for name, kind in kinds.items() if kind},
    }


def paths_to_stand_ins(base: Mapping[str, str]) -> dict[str, str]:
    """Return PATH and PYTHONPATH with the stand-ins; the machine's own commands come first."""
    return {
        "PATH": os.pathsep.join((base.get("PATH", os.defpath), str(COMMANDS))),
        "PYTHONPATH": search_path(base, PACKAGES),
    }


def search_path(base: Mapping[str, str], *packages: Path) -> str:
    """Return a PYTHONPATH with our start-up module first, then these folders, then the user's."""
    users = base.get("PYTHONPATH")
    return os.pathsep.join((*map(str, (STARTUP, *packages)), *((users,) if users else ())))


def check_soc(soc: str | None) -> None:
    """Refuse hardware that cannot be emulated.

    Raises:
        UsageError: it has no such name.
    """
    if soc is not None and soc not in SOCS:
        hint = did_you_mean(soc, SOCS, f"it is one of {', '.join(SOCS)}")
        raise UsageError(f"--soc {soc} is no hardware the emulation knows", hint)


def check_torch_npu(environment: Mapping[str, str] = os.environ) -> None:
    """Refuse a release of torch_npu that cannot be emulated.

    Raises:
        UsageError: it has no such version.
    """
    wanted = environment.get(TORCH_NPU)
    known = {
        item.version: versions.line(item.torch)
        for item in torch_releases.releases()
        if "rc" not in item.version and versions.numbers(item.torch) >= _FIRST_TORCH
    }
    if wanted and wanted not in known:
        newest = {line: version for version, line in known.items()}
        listed = f"the newest of each line are {', '.join(newest.values())}"
        raise UsageError(
            f"{TORCH_NPU} is {wanted!r}, which is no release of torch_npu that the emulation "
            "stands for",
            f"{did_you_mean(wanted, known, '')} {listed}".strip(),
        )
