"""``ascendify zoo data``: data sets for the networks, rendered here or converted from real ones."""

# No `from __future__ import annotations`: typer on Python 3.9 reads only evaluated ones.
import enum
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

from ascendify.cli.zoo.requirements import check_installed

if TYPE_CHECKING:
    from ascendify.zoo.sets.generate import Advance, DataSetPlan, GenerationResult
    from ascendify.zoo.sets.rendered import RenderedWords

app = typer.Typer(help="Data for the networks: rendered here, or converted from real sets.")

_PACKAGES = ("PIL", "numpy", "google_crc32c")
_ON_SHEET = 96
_LISTED = 10
"""How many left-out samples are printed; a file lists them all."""


class ChannelOrder(str, enum.Enum):
    """Order of a pixel's bytes in the records."""

    RGB = "RGB"
    BGR = "BGR"


_Out = Annotated[
    Optional[Path],
    typer.Option(
        "--out",
        "-o",
        metavar="FOLDER",
        help="Where the records are written; existing files are kept.",
        show_default=False,
    ),
]
_Seed = Annotated[Optional[int], typer.Option("--seed", min=0, help="Seed of the samples.")]
_Workers = Annotated[
    Optional[int], typer.Option("--workers", min=1, help="Processes.", show_default="all cores")
]
_Fonts = Annotated[
    Optional[list[Path]],
    typer.Option(
        "--fonts",
        metavar="FOLDER",
        help="Fonts to draw with, in addition to the shipped ones; can be given several times.",
        show_default="$ASCENDIFY_FONTS, or those of the system",
    ),
]
_Sheet = Annotated[
    Optional[Path],
    typer.Option(
        "--sheet", metavar="PNG", help="Also write a picture of samples.", show_default=False
    ),
]


_WORDS, _TEST_WORDS, _SIGNS, _TEST_SIGNS = 100_000, 10_000, 100_000, 5_000
_Count = Annotated[
    Optional[int],
    typer.Option("--count", min=1, help="Samples for training.", show_default=f"{_WORDS:,}"),
]
_TestCount = Annotated[
    Optional[int],
    typer.Option(
        "--test-count",
        min=0,
        help="Samples for the test, of other words and fonts.",
        show_default=f"{_TEST_WORDS:,} words, {_TEST_SIGNS:,} signs",
    ),
]


@app.command("crnn")
def crnn(
    *,
    out: _Out = None,
    count: _Count = None,
    test_count: _TestCount = None,
    seed: _Seed = None,
    source: Annotated[
        Optional[Path],
        typer.Option(
            "--from",
            metavar="FOLDER",
            help="Convert Synth90k instead: the folder with lexicon.txt and annotation_train.txt.",
            show_default=False,
        ),
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Stop at a picture that cannot be read.")
    ] = False,
    words: Annotated[
        Optional[Path],
        typer.Option(
            "--words",
            metavar="FILE",
            help="Words to draw, one per line.",
            show_default="a dictionary of the system, or shipped and made-up words",
        ),
    ] = None,
    fonts: _Fonts = None,
    channel_order: Annotated[
        ChannelOrder,
        typer.Option(
            "--channel-order",
            case_sensitive=False,
            help="Order of a pixel's bytes in the records; upstream's tool writes BGR.",
        ),
    ] = ChannelOrder.RGB,
    workers: _Workers = None,
    sheet: _Sheet = None,
) -> None:
    """Make pictures of words, 32 x 100 pixels, as records of the CRNN guide."""
    check_installed(_PACKAGES)
    from ascendify.errors import UsageError

    _check_output(out, sheet)
    if source is not None:
        given: dict[str, object] = {"--count": count, "--test-count": test_count, "--seed": seed}
        given.update({"--words": words, "--fonts": fonts})
        extra = [name for name, value in given.items() if value is not None]
        if extra:
            raise UsageError(
                f"{extra[0]} is for rendered words, not for --from", f"leave {extra[0]} out"
            )
        if out is None:
            raise UsageError("--from needs --out", "name the folder for the records")
        _convert(source, out, strict, channel_order, workers, sheet)
        return
    if strict:
        raise UsageError("--strict is for --from", "leave --strict out")
    from ascendify.zoo.sets.rendered import open_words, plan_rendered

    def open_split(split: Any, usual: int, wanted: Optional[int]) -> "RenderedWords":
        return open_words(
            split,
            usual if wanted is None else wanted,
            1 if seed is None else seed,
            font_folders=fonts or (),
            word_file=words,
            channel_order=channel_order.value,
        )

    train = open_split("train", _WORDS, count)
    for note in train.notes:
        print(note, file=sys.stderr)
    if sheet is not None:
        _write_sheet([train.draw(index) for index in range(_ON_SHEET)], sheet)
    if out is not None:
        _make(plan_rendered(train, open_split("test", _TEST_WORDS, test_count)), out, workers)


@app.command("attention-ocr")
def attention_ocr(
    *,
    out: _Out = None,
    count: _Count = None,
    test_count: _TestCount = None,
    seed: _Seed = None,
    names: Annotated[
        Optional[Path],
        typer.Option(
            "--names",
            metavar="FILE",
            help="Names of places to draw, one per line.",
            show_default="shipped and made-up names",
        ),
    ] = None,
    fonts: _Fonts = None,
    workers: _Workers = None,
    sheet: _Sheet = None,
) -> None:
    """Make French street signs with up to four views, as records of FSNS."""
    check_installed(_PACKAGES)
    from ascendify.zoo.sets import fsns

    _check_output(out, sheet)
    settings = fsns.RenderSettings(
        count=_SIGNS if count is None else count,
        test_count=_TEST_SIGNS if test_count is None else test_count,
        seed=1 if seed is None else seed,
        names=None if names is None else str(names),
        fonts=tuple(map(str, fonts or ())),
    )
    if sheet is not None:
        _write_sheet(list(fsns.samples(settings, 12)), sheet, columns=2, scale=1)
    if out is not None:
        with _bar() as advance:
            made = fsns.generate(settings, out, workers, advance)
        _print_result(made)


def _convert(
    source: Path,
    out: Path,
    strict: bool,
    order: ChannelOrder,
    workers: Optional[int],
    sheet: Optional[Path],
) -> None:
    from ascendify.zoo.sets.crnn_records import read_crnn
    from ascendify.zoo.sets.synth90k import SPLITS, plan_conversion

    plan = plan_conversion(source, strict=strict, channel_order=order.value)
    _make(plan, out, workers)
    if sheet is not None:
        data = read_crnn(out, next(split for split in SPLITS if split in plan.sources))
        shown = range(min(_ON_SHEET, len(data)))
        _write_sheet([(data[index]["images"], data.text(index)) for index in shown], sheet)


def _make(plan: "DataSetPlan", out: Path, workers: Optional[int]) -> None:
    from ascendify.zoo.sets.crnn_records import write_charset
    from ascendify.zoo.sets.generate import generate

    with _bar() as advance:
        made = generate(plan, out, workers, advance)
    write_charset(out)
    _print_result(made)


def _check_output(out: Optional[Path], sheet: Optional[Path]) -> None:
    from ascendify.errors import UsageError

    if out is None and sheet is None:
        raise UsageError("nothing to make", "name a folder with --out, or a picture with --sheet")


def _write_sheet(
    samples: Sequence[tuple[Any, str]], path: Path, columns: int = 8, scale: int = 2
) -> None:
    from ascendify.zoo.sets.sheet import write_sheet

    write_sheet(samples, path, columns, scale)
    print(f"{path}: {len(samples)} samples")


def _print_result(made: "GenerationResult") -> None:
    whole = made.samples + made.found - len(made.left_out)
    speed = f", {made.samples / made.seconds:,.0f}/s" if made.samples else ""
    print(f"{made.folder}: {whole:,} samples, {made.samples:,} of them made now{speed}")
    if made.left_out:
        from ascendify.zoo.sets.generate import ALL_LEFT_OUT

        print(f"left out: {len(made.left_out):,}, listed in {made.folder / ALL_LEFT_OUT}")
        for line in made.left_out[:_LISTED]:
            print(f"  {line}")


@contextmanager
def _bar() -> Iterator[Optional["Advance"]]:
    """Show a progress bar with the speed if standard error is a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    speed = TextColumn("{task.fields[speed]}")
    columns = (BarColumn(), MofNCompleteColumn(), speed, TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None, speed="")

        def advance(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)
            current = bar.tasks[0].speed
            bar.update(task, speed=f"{current:,.0f}/s" if current else "")

        yield advance
