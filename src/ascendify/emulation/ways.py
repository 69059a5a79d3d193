"""How the NPU was emulated: which interpreter and PyTorch, and by the fast or the portable path.

The stand-in for torch_npu records it (``ascendify_startup.recorder.tell_emulation``).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ascendify.emulation import records
from ascendify.emulation.releases import PORTABLE


@dataclass(frozen=True)
class Way:
    """How one process emulated the NPU, as it reported."""

    path: str
    """``fast``: tensors of PyTorch's own core; ``portable``: public means of PyTorch alone."""
    torch: str
    torch_npu: str
    executable: str
    why: str = ""
    """Why not the fast path, where it is known."""

    @property
    def in_words(self) -> str:
        """One line for people."""
        reason = f" because {self.why}" if self.why else ""
        return (
            f"the NPU is emulated by the portable path{reason}: slower, same checks (PyTorch "
            f"{self.torch} and torch_npu {self.torch_npu}, {self.executable})"
        )


def read(files: Iterable[Path]) -> tuple[Way, ...]:
    """The ways that the processes of a job reported, each once; missing files are left out."""
    found: dict[Way, None] = {}
    for file in files:
        for record in records.read(file):
            way = Way(*(record.get(name, "") for name in Way.__dataclass_fields__))
            found[way] = None
    return tuple(found)


def describe(ways: Iterable[Way]) -> tuple[str, ...]:
    """Describe the ways that a user notices: the portable path takes longer."""
    return tuple(way.in_words for way in ways if way.path == PORTABLE)
