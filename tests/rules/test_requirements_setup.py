"""Packages of setup.py: the same rules as for requirement files."""

from __future__ import annotations

from pathlib import Path

import pytest

from ascendify.catalog.knowledge import CatalogKnowledge
from ascendify.migrate.analyse import Analyser
from ascendify.rules.registry import Dispatch, chosen
from ascendify.rules.site import Facts
from ascendify.source.inference.resolver import Resolver
from ascendify.source.module import Module
from ascendify.source.project import Project
from ascendify.source.text import SourceText
from support.rewriting import Rewritten, rewrite_python
from support.rule_cases import brief


def migrate(code: str, text: str, path: str = "setup.py") -> Rewritten:
    project = Project(Path(), [path], {path: text})
    analyser = Analyser(Resolver(project, CatalogKnowledge()), Dispatch(chosen((code,))), Facts())
    module = Module.parse_text(path, SourceText(text))
    project.put(module)
    return rewrite_python(analyser, module)


@pytest.mark.parametrize(
    ("before", "after", "findings"),
    [
        pytest.param(
            "setup(install_requires=['tensorflow-gpu==1.15.0'])",
            "setup(install_requires=['tensorflow==1.15.0'])",
            ["1 auto"],
            id="the-right-release",
        ),
        pytest.param(
            'setup(extras_require={"gpu": ["tensorflow-gpu>=1.12"]})',
            'setup(extras_require={"gpu": ["tensorflow>=1.12"]})',
            ["1 auto-check"],
            id="a-range",
        ),
        pytest.param(
            "need = ['tensorflow-gpu==1.13.1']",
            "need = ['tensorflow==1.15.0']",
            ["1 auto-check"],
            id="another-release",
        ),
        pytest.param("name = 'use tensorflow-gpu'", None, [], id="a-sentence"),
        pytest.param("need = ['tensorflow']", None, [], id="the-plain-build"),
    ],
)
def test_tensorflow(before: str, after: str | None, findings: list[str]) -> None:
    outcome = migrate("REQ-1", before)
    assert outcome.after == (before if after is None else after)
    assert brief(outcome.findings) == findings


def test_other_packages_are_told() -> None:
    outcome = migrate("REQ-2", "setup(install_requires=['horovod', 'cupy>=7', 'numpy'])")
    assert brief(outcome.findings) == ["1 manual", "1 manual"]


@pytest.mark.parametrize("code", ["REQ-1", "REQ-2"])
def test_other_files_are_not_setup(code: str) -> None:
    outcome = migrate(code, "need = ['tensorflow-gpu==1.15.0', 'horovod']", "train.py")
    assert not outcome.changed
    assert outcome.findings == []
