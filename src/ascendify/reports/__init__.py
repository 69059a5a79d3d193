"""What people and machines read: one :class:`~ascendify.reports.model.Report`, several renderers.

Renderers turn a finished report into text, JSON, SARIF, xlsx or GitHub annotations, and the files
it rewrote into a patch. They decide nothing: every count, score and order comes from the model.
This room knows findings; it does not know rules, source trees or the migration pipeline.

A renderer is imported when it is first used, so that a run loads only the format it prints.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Union, cast

if TYPE_CHECKING:
    from ascendify.reports.model import Report

RENDERERS = {
    "text": "text:to_text",
    "json": "json_:to_json",
    "sarif": "sarif:to_json",
    "xlsx": "xlsx:to_bytes",
    "github": "github:to_text",
}
"""Format name to the module of this package and the function that renders it."""


class ReportError(Exception):
    """A report cannot be rendered; the message says why and what to do."""


def render(report: Report, format: str) -> Union[str, bytes]:
    """Render a report: text formats as a string, ``xlsx`` as bytes.

    Raises:
        ReportError: the format is unknown, or its optional dependency is not installed.
    """
    if format not in RENDERERS:
        raise ReportError(
            f"unknown report format {format!r}: expected one of {', '.join(RENDERERS)}"
        )
    module, _, function = RENDERERS[format].partition(":")
    rendered = getattr(import_module(f"{__name__}.{module}"), function)(report)
    return cast("Union[str, bytes]", rendered)
