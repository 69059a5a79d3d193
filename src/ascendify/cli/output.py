"""Print reports or write them to files, each file as a whole or not at all."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from ascendify.cli.options import Format

if TYPE_CHECKING:
    from ascendify.reports.model import Report

_SUFFIX = {Format.TEXT: "txt", Format.JSON: "json", Format.SARIF: "sarif", Format.XLSX: "xlsx"}
"""The formats that are worth a file; GitHub reads its annotations from a job's output only."""
_XLSX_LIBRARY = "openpyxl"
_XLSX_HINT = "pip install 'ascendify[xlsx]'"
_PICTURE_LIBRARY = "PIL"
_PICTURE_HINT = "pip install 'ascendify[verify]'"


@dataclass(frozen=True)
class Output:
    """The format of a report, and where it goes."""

    format: Format = Format.TEXT
    file: Path | None = None
    statistics: bool = False
    quiet: bool = False
    verbose: bool = False
    folder: Path | None = None
    """A folder that gets the report in every format, besides the one that is shown."""

    @property
    def verbosity(self) -> int:
        """-1, 0 or 1, as the text report counts."""
        return -1 if self.quiet else int(self.verbose)

    def check(self) -> None:
        """Refuse a report that cannot be written, before the run instead of after it."""
        from ascendify.errors import UsageError

        if self.format is Format.XLSX and self.file is None:
            raise UsageError("an xlsx report cannot be printed", "give --output-file report.xlsx")
        if self.format is Format.XLSX and find_spec(_XLSX_LIBRARY) is None:
            raise UsageError(f"xlsx reports need {_XLSX_LIBRARY}, which is missing", _XLSX_HINT)
        if self.statistics and self.format is not Format.TEXT:
            raise UsageError(
                f"--statistics does not go with --output-format {self.format.value}",
                "leave one out; machine formats hold the counts already",
            )
        check_file("--output-file", self.file)
        if self.folder is not None and self.folder.exists() and not self.folder.is_dir():
            raise UsageError(f"--report {self.folder} is not a folder", "name a folder")


def check_file(option: str, file: Path | None) -> None:
    """Refuse a file that could not be written, before the work instead of after it."""
    from ascendify.errors import UsageError

    if file is not None and file.is_dir():
        raise UsageError(f"{option} {file} is a folder", "name a file in it")
    if file is not None and not file.parent.is_dir():
        raise UsageError(f"{file.parent}, the folder of {option}, does not exist", "create it")


def check_pictures() -> None:
    """Refuse to draw without the library for it."""
    from ascendify.errors import UsageError

    if find_spec(_PICTURE_LIBRARY) is None:
        raise UsageError("pictures need Pillow, which is missing", _PICTURE_HINT)


def show(report: Report, output: Output) -> None:
    """Print or write the report in the chosen format."""
    if output.folder is not None:
        write_folder(report, output.folder)
    if output.file is not None:
        write(output.file, _render(report, output))
        print(f"{_in_one_line(report)}; report in {output.file}", file=sys.stderr)
    elif output.format is Format.TEXT:
        _print_text(report, output)
    else:
        write_out(_render(report, output))


def show_diff(report: Report) -> None:
    """Print the changes as a patch, and a summary of them on standard error."""
    from ascendify.reports.diff import patch

    write_out(patch(report))
    print(_in_one_line(report), file=sys.stderr)


def write_out(data: bytes) -> None:
    """Write exactly these bytes to standard output, without encoding them."""
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def write(file: Path, data: bytes) -> None:
    """Write a file completely; after a failure the old file is unchanged."""
    unfinished = file.with_name(f".{file.name}.{os.getpid()}.tmp")
    try:
        unfinished.write_bytes(data)
        unfinished.replace(file)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


def warn(message: str) -> None:
    """Print a warning; the command goes on."""
    print(f"warning: {message}", file=sys.stderr)


def _print_text(report: Report, output: Output) -> None:
    from rich.console import Console

    from ascendify.reports.text import render

    render(report, Console(), output.verbosity, statistics=output.statistics)
    sys.stdout.flush()


def _render(report: Report, output: Output) -> bytes:
    if output.format is Format.TEXT:
        from ascendify.reports.text import to_text

        return to_text(report, output.verbosity, statistics=output.statistics).encode()
    return _in_format(report, output.format)


def _in_format(report: Report, format_: Format) -> bytes:
    from ascendify.reports import render

    rendered = render(report, format_.value)
    return rendered.encode() if isinstance(rendered, str) else rendered


def write_folder(report: Report, folder: Path) -> None:
    """Write the report in every format to a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for format_, suffix in _SUFFIX.items():
        if format_ is Format.XLSX and find_spec(_XLSX_LIBRARY) is None:
            warn(f"no report.xlsx: {_XLSX_LIBRARY} is missing ({_XLSX_HINT})")
        else:
            write(folder / f"report.{suffix}", _in_format(report, format_))


def _in_one_line(report: Report) -> str:
    from ascendify.reports.text import QUIET, to_text

    return "; ".join(to_text(report, QUIET).splitlines())
