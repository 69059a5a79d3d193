"""Write an audit of an emulated run: what it did on the device."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ascendify.cli import job_output
from ascendify.cli.output import write

if TYPE_CHECKING:
    from ascendify.emulation.audit import Audit


def write_audit(audit: Audit, file: Path, *, quiet: bool) -> None:
    """Write the audit to its file, and a few lines of it on standard error."""
    from ascendify.emulation.audit import to_json
    from ascendify.emulation.audit_text import lines

    write(file, to_json(audit).encode())
    if not quiet:
        for line in lines(audit):
            job_output.say(line)
        job_output.say(f"audit in {file}")
