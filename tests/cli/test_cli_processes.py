"""Every command in a process of its own, and the same in a fork, which most tests start it in."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from support.commands import ascendify, ascendify_process
from support.projects import SESSION, write_project

COMMANDS: dict[str, tuple[str, ...]] = {
    "nothing": (),
    "version": ("--version",),
    "unknown": ("chek",),
    "check": ("check", "project"),
    "check --help": ("check", "--help"),
    "migrate": ("migrate", "project", "--diff"),
    "port": ("port", "nowhere"),
    "scaffold": ("scaffold", "nowhere"),
    "summary": ("summary", "logs"),
    # a real look at the machine differs from one moment to the next
    "doctor": ("doctor", "--help"),
    "explain": ("explain", "EJ0001"),
    "rules": ("rules",),
    "rule": ("rule", "TF1-SESS-1"),
    "api": ("api", "tf.Session"),
    "ranktable": ("ranktable", "create", "--servers", "2"),
    "run": ("run", "--log-dir", "logs", "--", sys.executable, "train.py"),
    "launch": ("launch", "--log-dir", "logs", "-q", "--", sys.executable, "train.py"),
    "verify": ("verify", "project", "nowhere", "--", sys.executable, "train.py"),
    "zoo": ("zoo", "list"),
}
TRAIN = """\
import os, sys
print(sorted(name for name in os.environ if not name.startswith("_")))
print(os.getcwd(), sys.argv, sys.path, "said", file=sys.stderr)
sys.exit(3)
"""


@pytest.mark.parametrize("arguments", COMMANDS.values(), ids=COMMANDS)
def test_a_fork_is_like_a_process(arguments: tuple[str, ...], tmp_path: Path) -> None:
    results = []
    for run in (ascendify_process, ascendify):
        folder = tmp_path / run.__name__
        write_project(folder / "project")
        write_project(folder / "logs", train=SESSION)
        (folder / "logs" / "rank-0.log").write_text("global step 1: loss = 2 (1 sec/step)\n")
        (folder / "train.py").write_text(TRAIN)
        ended = run(*arguments, cwd=folder, variables={"PYTHONPATH": _path()})
        results.append((ended.returncode, same(ended.stdout, folder), same(ended.stderr, folder)))
    assert results[0] == results[1]


def same(text: str, folder: Path) -> str:
    """A text without what no two runs share: folders, seconds, names of jobs."""
    return re.sub(r"\d+\.\d s\b|ascendify-[0-9a-f]{8}", "", text.replace(str(folder), "FOLDER"))


def _path() -> str:
    import ascendify as package

    return str(Path(package.__file__).parents[1])
