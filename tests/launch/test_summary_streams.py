"""Logs as they really are: progress bars, colours, rubbish, cut off, empty, huge, still growing."""

from __future__ import annotations

import io
import json
import random
import tempfile
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from ascendify.errors import UsageError
from ascendify.launch.summary import Summary, pieces, summarise
from ascendify.launch.summary.blocks import blocks
from ascendify.launch.summary.case import to_case
from ascendify.launch.summary.csv_ import to_csv
from ascendify.launch.summary.json_ import to_json
from ascendify.launch.summary.series import MOST_KEPT, Readings, Sample
from ascendify.launch.summary.text import render


def slim(step: int, loss: str = "0.5") -> bytes:
    return f"global step {step}: loss = {loss} (0.125 sec/step)\n".encode()


def keras(batch: int, loss: str) -> bytes:
    return f"{batch}/9 [==>...] - ETA: 1s - loss: {loss}".encode()


def summary_of(folder: Path, data: bytes) -> Summary:
    (folder / "rank-0.log").write_bytes(data)
    return summarise(folder)


LOGS: list[tuple[str, bytes, list[float]]] = [
    ("carriage-returns", b"\r".join((keras(1, "3"), keras(2, "2"), keras(3, "1"), b"")), [3, 2, 1]),
    ("windows-newlines", slim(1, "3").replace(b"\n", b"\r\n") + slim(2, "2"), [3, 2]),
    ("backspaces", b"\n" + keras(1, "3") + b"\b" * 60 + b"\n" + keras(2, "2") + b"\n", [3, 2]),
    ("colours", b"\x1b[32mglobal step \x1b[1m1\x1b[0m: loss = 3 (0.1 sec/step)\x1b[0m\n", [3]),
    ("prefixes-of-ranks", b"[0] " + slim(1, "3") + b"[1] " + slim(1, "2"), [3, 2]),
    ("rubbish-between", slim(1, "3") + bytes(range(1, 256)) * 50 + b"\n" + slim(2, "2"), [3, 2]),
    ("zeros-between", slim(1, "3") + bytes(5000) + slim(2, "2"), [3, 2]),
    ("utf-16", (slim(1, "3") + slim(2, "2")).decode().encode("utf-16"), [3, 2]),
    ("latin-1-and-utf-8", "é\n".encode("latin-1") + slim(1, "3") + "é━\n".encode(), [3]),
    ("cut-inside-a-number", keras(1, "3") + b"\n" + keras(2, "0.712345"), [3]),
    ("cut-after-a-number", b"\n" + keras(2, "0.5") + b" - accuracy: 0.7123", [0.5]),
    ("cut-inside-a-word", slim(1, "3") + b"global step 2: loss = 2 (0.1 sec/st", [3]),
    ("last-line-not-ended", slim(1, "3") + slim(2, "2").rstrip(), [3, 2]),
    ("a-very-long-line", slim(1, "3") + b"x" * 3_000_000 + b"\n" + slim(2, "2"), [3, 2]),
    ("a-very-long-line-of-words", slim(1, "3") + b"word " * 600_000 + b"\n" + slim(2, "2"), [3, 2]),
    ("nothing-but-one-long-line", b"y" * 3_000_000 + slim(2, "2"), [2]),
    ("numbers-that-are-none", slim(1, "1e") + slim(2, "+-.") + slim(3, "2"), [2]),
]


@pytest.mark.parametrize(
    ("data", "losses"), [pytest.param(data, losses, id=name) for name, data, losses in LOGS]
)
def test_losses_of_a_log(data: bytes, losses: list[float], tmp_path: Path) -> None:
    loss = summary_of(tmp_path, data).ranks[0].loss
    assert loss is not None
    assert list(loss.values) == losses


@pytest.mark.parametrize("size", [0, 1])
def test_empty_logs(size: int, tmp_path: Path) -> None:
    summary = summary_of(tmp_path, b"\n" * size)
    assert not summary.has_readings
    assert (summary.throughput, summary.wall_seconds, summary.problems) == (None, None, ())


def test_a_missing_folder(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="does not exist"):
        summarise(tmp_path / "nowhere")


def test_a_folder_without_logs(tmp_path: Path) -> None:
    (tmp_path / "model.ckpt").write_bytes(b"")
    with pytest.raises(UsageError, match="no logs"):
        summarise(tmp_path)


def test_a_log_that_grows_while_it_is_read(tmp_path: Path) -> None:
    log = tmp_path / "rank-0.log"
    log.write_bytes(slim(1) * 10_000)
    read = 0
    with log.open("ab") as stream:
        for block in blocks(log):
            read += block.count(b"global step")
            stream.write(slim(1) * 20_000)
            stream.flush()
    assert read == 10_000


def test_readings_at_the_edges_of_blocks_are_read_once(tmp_path: Path) -> None:
    """Lines of every length put every position of a line at an edge sooner or later."""
    chance = random.Random(7)
    lines = [
        slim(step, str(step)) + b"." * chance.randrange(200) + b"\n" for step in range(1, 20_001)
    ]
    rank = summary_of(tmp_path, b"".join(lines)).ranks[0]
    assert rank.loss is not None
    assert (rank.loss.readings, rank.loss.final, rank.last_step) == (20_000, 20_000.0, 20_000)


def test_a_format_that_begins_late_and_another_that_ends_early(tmp_path: Path) -> None:
    noise = b"2022-06-15 20:12:03: loss_scale is 512, nothing to see here\n" * 20_000
    data = noise + slim(1, "3") + noise + b"eval/Accuracy[0.5]\n" + noise
    rank = summary_of(tmp_path, data).ranks[0]
    assert rank.loss is not None
    assert rank.eval_accuracy is not None
    assert (rank.loss.final, rank.eval_accuracy.final) == (3.0, 0.5)


def test_losses_that_are_not_finite(tmp_path: Path) -> None:
    data = slim(1, "3") + slim(2, "nan") + slim(3, "2") + slim(4, "inf") + slim(5, "NaN")
    summary = summary_of(tmp_path, data)
    loss = summary.ranks[0].loss
    assert loss is not None
    assert (loss.not_finite, loss.first_not_finite, loss.lowest, loss.values) == (3, 2, 2, (3, 2))
    assert str(loss.final) == "nan"
    assert summary.problems == ("rank 0: 3 losses not finite, the first at step 2",)


def test_an_estimator_that_diverges(tmp_path: Path) -> None:
    data = (
        b"INFO:tensorflow:loss = 2.5, step = 7\nERROR:tensorflow:Model diverged with loss = NaN.\n"
    )
    summary = summary_of(tmp_path, data)
    assert summary.problems == ("rank 0: 1 loss not finite, the first at step 7",)


TRACEBACK = b"""\
Traceback (most recent call last):
  File "train.py", line 3, in <module>
    raise ValueError("Train loss is nan")
ValueError: Train loss is nan
"""


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        pytest.param(TRACEBACK, "1 traceback: ValueError: Train loss is nan", id="alone"),
        pytest.param(TRACEBACK * 2, "2 tracebacks: ValueError: Train loss is nan", id="two"),
        pytest.param(
            b"".join(b"[3] " + line + b"\n" for line in TRACEBACK.splitlines()),
            "1 traceback: ValueError: Train loss is nan",
            id="with-the-rank-in-front",
        ),
        pytest.param(TRACEBACK[:60], "1 traceback", id="cut-off"),
        pytest.param(
            b"." * ((1 << 17) - 100) + b"\n" + TRACEBACK,
            "1 traceback: ValueError: Train loss is nan",
            id="at-the-edge-of-a-block",
        ),
    ],
)
def test_tracebacks_are_reported(data: bytes, problem: str, tmp_path: Path) -> None:
    assert summary_of(tmp_path, data).problems == (f"rank 0: {problem}",)


PIECES = [
    pytest.param(lambda n: slim(n, str(1000 - n)), id="slim"),
    pytest.param(lambda n: slim(n, "nan" if n == 333 else "2"), id="not-finite"),
    pytest.param(lambda n: keras(n % 9 + 1, str(1000 - n)) + b"\n", id="batches-of-epochs"),
    pytest.param(lambda n: b"12/12 - 0s - loss: %d - val_loss: 2\n" % n, id="whole-epochs"),
    pytest.param(lambda n: b"{'loss': %d.5, 'epoch': 1}\n" % n, id="counted"),
    pytest.param(lambda n: b" * Acc@1 %d.5 Acc@5 99\n" % n, id="counted-evaluations"),
    pytest.param(lambda n: b"namespace:w,time_ts:%d,event_type:x\n" % (n + 1), id="own-file"),
    pytest.param(lambda n: b"Iter #%d: %d.5 img/sec per GPU\n" % (n, n), id="throughput"),
    pytest.param(lambda n: TRACEBACK if n == 500 else b"fine\n", id="traceback"),
]


@pytest.mark.parametrize("line", PIECES)
def test_pieces_tell_together_what_the_whole_tells(
    line: Callable[[int], bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Real processes read the pieces."""
    data = b"".join(map(line, range(1000)))
    whole = summary_of(tmp_path, data)
    monkeypatch.setattr(pieces, "WORTH_A_PROCESS", len(data) // 7)
    monkeypatch.setattr(pieces, "_processors", lambda: 2)
    assert len(list(pieces.cut(tmp_path / "rank-0.log", len(data), len(data) // 7))) > 6
    assert repr(summary_of(tmp_path, data)) == repr(whole)


@pytest.mark.parametrize("data", [b"", b"no end", b"a\nb\n", b"x" * 500, b"a\rb\r" * 100])
def test_pieces_are_the_whole_log(data: bytes, tmp_path: Path) -> None:
    file = tmp_path / "rank-0.log"
    file.write_bytes(data)
    found = list(pieces.cut(file, len(data), 3))
    assert b"".join(data[piece.start : piece.end] for piece in found) == data
    assert all(data[piece.start - 1 : piece.start] == b"\n" for piece in found[1:])


def test_samples_of_pieces_stay_small_and_even() -> None:
    samples = []
    for start in range(0, 90_000, 30_000):
        samples.append(Sample())
        samples[-1].extend(range(start, start + 30_000), list(range(start, start + 30_000)))
    first = samples[0]
    for later in samples[1:]:
        first.join(later, 0)
    gaps = [later - sooner for sooner, later in zip(first.steps, first.steps[1:])]
    assert first.count == 90_000
    assert MOST_KEPT / 2 < len(first.values) <= MOST_KEPT
    assert max(gaps) < 3 * min(gaps)


NUMBERS = (
    "0",
    "1",
    "-1",
    "1e300",
    "1e-300",
    "nan",
    "-inf",
    "1e999",
    "9" * 30,
    "",
    "+",
    "1.2.3",
    "null",
    '"x"',
)
SHAPES = (
    "global step {}: loss = {} ({} sec/step)",
    "Epoch_Train: {} cost= {}, lr= {}, FPS: {}, step_per_sec: {}",
    "step: {} epoch: {} FPS:{}, loss: {}, total_loss: {} lr:{} batch_time:{}",
    "loss = {}, step = {} ({} sec)",
    "global_step/sec: {}",
    "{}/{} [=>] - {}s {}us/sample - loss: {} - acc: {} - val_loss: {}",
    "namespace:w,time_ts:{},x",
    "Iter #{}: {} img/sec per GPU",
    "Epoch: [{}][{}/{}]\tTime {} ({})\tLoss {} ({})\tAcc@1 {}",
    "{{'loss': {}, 'epoch': {}}}",
    "{{'train_runtime': {}, 'train_samples_per_second': {}, 'train_steps_per_second': {}",
    '{{"event": "step", "time": {}, "step": {}, "seconds": {}, "samples": {}, "loss": {}}}',
    "I{}15 20:{}:00 2022-{}-15 20:12:{}",
    "batch_size: {}",
)


@given(st.lists(st.tuples(st.sampled_from(SHAPES), st.lists(st.sampled_from(NUMBERS), min_size=8))))
@settings(max_examples=200)
def test_no_numbers_break_it(rows: list[tuple[str, list[str]]]) -> None:
    text = "\n".join(shape.format(*numbers) for shape, numbers in rows)
    with tempfile.TemporaryDirectory() as folder:
        for name in ("rank-0.log", "measure-1.jsonl"):
            Path(folder, name).write_text(text)
        summary = summarise(Path(folder))
    assert json.loads(to_json(summary))["rank_size"] == 2
    assert to_csv(summary)
    assert to_case(summary)
    render(summary, Console(file=io.StringIO()))


def write_lines(path: Path, count: int, line: Callable[[int], bytes]) -> None:
    with path.open("wb") as stream:
        for start in range(0, count, 10_000):
            stream.write(b"".join(map(line, range(start, start + 10_000))))


def peak_memory(folder: Path, count: int) -> int:
    folder.mkdir()
    write_lines(folder / "rank-0.log", count, slim)
    tracemalloc.start()
    try:
        summarise(folder)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_does_not_grow_with_the_log(tmp_path: Path) -> None:
    small, large = peak_memory(tmp_path / "small", 20_000), peak_memory(tmp_path / "large", 160_000)
    assert large < 1.5 * small


def test_a_sample_is_exact_while_it_is_small_and_even_when_it_is_not() -> None:
    sample = Sample()
    sample.extend(range(1000), list(range(1000)))
    assert sample.values == list(range(1000))
    sample.extend(range(1000, 100_000), list(range(1000, 100_000)))
    gaps = {later - sooner for sooner, later in zip(sample.steps, sample.steps[1:])}
    assert MOST_KEPT / 2 < len(sample.values) <= MOST_KEPT
    assert len(gaps) == 1


def test_a_sample_does_not_depend_on_how_readings_are_handed_in() -> None:
    together, apart = Sample(), Sample()
    together.extend(range(50_000), list(range(50_000)))
    for start in range(0, 50_000, 77):
        numbers = list(range(start, min(start + 77, 50_000)))
        apart.extend(numbers, numbers)
    assert together.values == apart.values


@pytest.mark.parametrize(
    ("values", "median"),
    [
        pytest.param([], None, id="none"),
        pytest.param([7.0], 7.0, id="the-only-one-counts"),
        pytest.param([100.0, 1.0, 2.0, 3.0], 2.0, id="the-first-is-warm-up"),
        pytest.param([90.0, 80.0] + [1.0] * 9 + [2.0] * 9, 1.5, id="a-tenth-is-warm-up"),
    ],
)
def test_the_median_of_steady_readings(values: list[float], median: float | None) -> None:
    sample = Sample()
    sample.extend(range(len(values)), values)
    assert sample.median() == median


def test_what_only_some_lines_tell_is_not_lost_among_the_others() -> None:
    sample = Sample()
    for number in range(20_000):
        sample.extend([number], [float(number) if number % 100 == 0 else None])
    assert len(sample.values) == 200


def test_extremes_are_of_all_readings_not_of_the_sample() -> None:
    series = Readings()
    values = [10.0] * 100_000
    values[77_777] = 1.0
    series.extend(range(100_000), values)
    assert series.lowest == (1.0, 77_777)
    assert 1.0 not in series.sample.values
