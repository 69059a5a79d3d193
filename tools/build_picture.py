"""Draw docs/images/report.svg: the report of a bundled example as a terminal shows it."""

from __future__ import annotations

import io
import os
import re
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import MONOKAI

from ascendify.migrate import check
from ascendify.migrate.settings import load
from ascendify.reports import text

ROOT = Path(__file__).parent.parent
EXAMPLE = Path("examples") / "crnn-ocr"
PICTURE = ROOT / "docs" / "images" / "report.svg"
WIDTH = 118


def draw() -> str:
    """The picture as SVG."""
    os.chdir(ROOT)
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True)
    text.render(check(load(EXAMPLE)), console)
    svg = console.export_svg(title=f"ascendify check {EXAMPLE.as_posix()}", theme=MONOKAI)
    # the reader's own monospace font will do; a picture should load nothing
    return re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.S)


if __name__ == "__main__":
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    PICTURE.write_text(draw(), encoding="utf-8")
