"""What passes make of one text, in the form that tables of tests compare."""

from __future__ import annotations

from dataclasses import dataclass

from ascendify.findings import Finding
from ascendify.migrate import passes
from ascendify.migrate.analyse import Analyser
from ascendify.reports.model import FileResult
from ascendify.rules.site import TextSite
from ascendify.source.module import Module


@dataclass(frozen=True)
class Rewritten:
    """A text before and after, whether anything changed or not, and what was found in it."""

    before: str
    after: str
    findings: list[Finding]

    @property
    def changed(self) -> bool:
        return self.before != self.after


def rewrite_python(analyser: Analyser, module: Module) -> Rewritten:
    """Migrate a Python file."""
    return _rewritten(module.source.text, passes.migrate_python(analyser, module))


def rewrite_text(analyser: Analyser, site: TextSite) -> Rewritten:
    """Migrate a launch script, a requirements file and the like."""
    return _rewritten(site.text, passes.migrate_text(analyser, site))


def _rewritten(text: str, result: FileResult) -> Rewritten:
    after = text if result.after is None else result.after
    return Rewritten(text, after, list(result.findings))
