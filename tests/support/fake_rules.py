"""Rules made up for a test, and a run of them over a small project."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Callable

import pytest

from ascendify.catalog.knowledge import CatalogKnowledge
from ascendify.findings import Status
from ascendify.migrate import pipeline
from ascendify.migrate.analyse import Analyser
from ascendify.rules import registry
from ascendify.rules.registry import Dispatch, RegisteredRule
from ascendify.rules.rule import Diagnosis, Rule
from ascendify.rules.site import CallSite, Facts
from ascendify.source.inference.resolver import Resolver
from ascendify.source.project import Project
from support.rewriting import Rewritten, rewrite_python

Handler = Callable[[CallSite, Rule], Iterator[Diagnosis]]


def rule(code: str, name: str, handler: Handler) -> Rule:
    """A rule that fires on calls of one name."""
    made = Rule(code, f"title of {code}", "why", (Status.AUTO,))
    made.call(name)(lambda site: handler(site, made))
    return made


def install(monkeypatch: pytest.MonkeyPatch, *rules: Rule) -> None:
    """Make these the only rules there are."""
    entries = {item.code: RegisteredRule(item, "tf1") for item in rules}
    monkeypatch.setattr(registry, "entries", lambda *_: entries)
    monkeypatch.setattr(pipeline, "entries", lambda *_: entries)


def run(files: str | Mapping[str, str], *rules: Rule, path: str = "main.py") -> Rewritten:
    """Migrate one file with these rules."""
    sources = {"main.py": files} if isinstance(files, str) else dict(files)
    with pytest.MonkeyPatch.context() as patch:
        install(patch, *rules)
        dispatch = Dispatch(frozenset(item.code for item in rules))
        project = Project(Path("/nowhere"), sources, sources)
        analyser = Analyser(Resolver(project, CatalogKnowledge()), dispatch, Facts())
        module = project.module(path)
        assert module is not None, project.errors
        return rewrite_python(analyser, module)


def done(site: CallSite, made: Rule, fix: Any, text: str = "Done.") -> Diagnosis:
    """A finding of what a fix did."""
    return made.auto(site, f"found {site.text}", done=text, fix=fix)
