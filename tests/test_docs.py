"""The documentation says what the rules say, and its links lead somewhere."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/*.md")])


def test_rule_pages_are_generated_from_the_rules() -> None:
    tool = ROOT / "tools" / "build_docs.py"
    result = subprocess.run(
        [sys.executable, str(tool), "--check"], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_relative_links_lead_to_files(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.S)
    links = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text)
    broken = [link for link in links if "://" not in link and not (page.parent / link).exists()]
    assert broken == []


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "docs/architecture.md"])
def test_files_that_are_named_exist(page: str) -> None:
    named = re.findall(r"`((?:src|tests|tools|docs|examples)/[\w./-]+)`", (ROOT / page).read_text())
    assert named
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_contributing_lists_every_tool() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    tools = [f"tools/{path.name}" for path in (ROOT / "tools").glob("*.py")]
    assert [name for name in tools if f"`{name}`" not in text] == []
