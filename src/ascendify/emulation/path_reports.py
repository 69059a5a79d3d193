"""How the NPU was emulated: which interpreter and PyTorch, and by the fast or the portable path.

The stand-in for torch_npu records it (``ascendify_startup.recorder.report_emulation``).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ascendify.emulation import records
from ascendify.emulation.releases import PORTABLE


@dataclass(frozen=True)
class PathReport:
    """How one process emulated the NPU, as that process reported it."""

    path: str
    """``fast``: writes to fields of PyTorch's C++ objects; ``portable``: uses public functions."""
    torch: str
    torch_npu: str
    executable: str
    why: str = ""
    """Why the fast path is not used, if that is known."""

    @property
    def text(self) -> str:
        """A line about the portable path for the user."""
        reason = f" because {self.why}" if self.why else ""
        return (
            f"the NPU is emulated by the portable path{reason}: slower, same checks (PyTorch "
            f"{self.torch} and torch_npu {self.torch_npu}, {self.executable})"
        )


def read(files: Iterable[Path]) -> tuple[PathReport, ...]:
    """Read the reports of the processes of a job, each once; missing files are left out."""
    found: dict[PathReport, None] = {}
    for file in files:
        for record in records.read(file):
            report = PathReport(*(record.get(name, "") for name in PathReport.__dataclass_fields__))
            found[report] = None
    return tuple(found)


def describe(reports: Iterable[PathReport]) -> tuple[str, ...]:
    """Return a line for each process that used the portable path, which is slower."""
    return tuple(report.text for report in reports if report.path == PORTABLE)
