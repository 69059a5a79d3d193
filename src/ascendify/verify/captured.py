"""Read what the processes of a training recorded: numbers, steps, checkpoints.

The start-up module writes the records (``ascendify_startup.recorder``), one file a process.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ascendify.emulation import records
from ascendify.verify.tolerance import DEFAULT_TYPE, less_precise

LOSS, GRADIENT, FETCH, OUTPUT = "loss", "gradient", "fetch", "output"
_WEIGHTS = ".npz"
_NEVER_ON_NPU = "never on NPU"


@dataclass(frozen=True)
class Point:
    """One number of a series."""

    step: int
    value: float
    batches: int | None = None
    """How many batches an evaluation has seen; None for a number of a training step."""
    whole: bool = False
    """Whether a device evaluates every sample, a smaller last batch included."""


@dataclass(frozen=True)
class Series:
    """Values of one quantity over the steps, in the order in which they were recorded."""

    name: str
    source: str
    """Where it was recorded. ``loss``: minimised by an optimizer; ``gradient``, ``scale``: on the
    way to that; otherwise ``fetch``, ``summary``, ``evaluation``, ``keras`` or ``output``."""
    points: tuple[Point, ...]
    dtype: str = DEFAULT_TYPE
    device: str = ""
    """Where it was computed: ``cuda``, ``npu`` or ``cpu``; empty where that is unknown."""
    is_summed: bool = False
    """Whether ranks add up their gradients, so that their losses are added up as well."""

    @property
    def numbered(self) -> Iterator[tuple[tuple[int, int], Point]]:
        """Points by step and by how often the step came before, as in a second training."""
        seen: Counter[int] = Counter()
        for point in self.points:
            yield (point.step, seen[point.step]), point
            seen[point.step] += 1

    @property
    def is_loss(self) -> bool:
        """Whether this is a loss that the training minimises."""
        return self.source in (LOSS, OUTPUT)


@dataclass(frozen=True)
class Capture:
    """What one process recorded."""

    rank: int
    executable: str = ""
    began: float = 0.0
    series: tuple[Series, ...] = ()
    steps: int = 0
    """How many training steps were run."""
    global_step: int | None = None
    """The last step, where the program counts its steps."""
    checkpoints: tuple[Path, ...] = ()
    weights: Path | None = None
    """The file with the weights at the end of the training."""
    notes: tuple[str, ...] = ()
    gpu: str = ""
    """The real GPU it trained on; empty for a CPU, pretended and emulated devices included."""
    gpu_random: bool = False
    """Whether that GPU drew random numbers itself, which no CPU reproduces."""
    never_on_npu: str = ""
    """Why its training never used the NPU; empty if it did, or trained nothing, or is unknown."""
    attributes: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Values of attributes of operators that decode, by ``operator.attribute``."""
    elsewhere: tuple[tuple[str, Path], ...] = ()
    """Modules that were imported from outside the project, with their files."""


def mean(ranks: Sequence[Capture]) -> Capture:
    """Average the ranks of a job: the mean of every number that all of them recorded.

    Where ranks add up the gradients of a loss, it is divided by the batch of all of them already:
    the sum of these parts is the loss.
    """
    first = ranks[0]
    others = [{(one.source, one.name): one for one in rank.series} for rank in ranks[1:]]
    series = []
    for own in first.series:
        same = [known.get((own.source, own.name)) for known in others]
        series.append(own if None in same else _mean([own, *filter(None, same)]))
    return replace(first, series=tuple(series))


def _mean(series: Sequence[Series]) -> Series:
    values = [dict(one.numbered) for one in series]
    divisor = 1 if series[0].is_summed else len(values)
    points = [
        # each rank may evaluate a share of the samples
        replace(point, value=sum(known[key].value for known in values) / divisor, whole=False)
        for key, point in series[0].numbered
        if all(key in known for known in values)
    ]
    return replace(series[0], points=tuple(points))


def read_all(folder: Path) -> tuple[Capture, ...]:
    """Read the records of all processes, by rank and then in the order in which they began."""
    files = (path for path in folder.glob("capture-*.jsonl*") if path.suffix != _WEIGHTS)
    captures = [read(records.read(path)) for path in files]
    return tuple(sorted(captures, key=lambda capture: (capture.rank, capture.began)))


def read(lines: Iterable[dict[str, Any]]) -> Capture:
    """Combine the records of one process."""
    about: dict[str, Any] = {}
    points: dict[tuple[str, str], list[Point]] = {}
    types: dict[tuple[str, str], str] = {}
    devices: dict[tuple[str, str], str] = {}
    texts: dict[str, list[str]] = {"checkpoint": [], "weights": [], "note": [], _NEVER_ON_NPU: []}
    steps, global_step = 0, None
    elsewhere: dict[str, str] = {}
    summed: set[str] = set()
    attributes: dict[str, set[str]] = {}
    gpu: dict[str, Any] = {}
    for line in lines:
        source = line.get("source", "")
        if source == "process":
            about = line
        elif source == "step":
            steps += 1
            global_step = line["value"] if line["value"] is not None else global_step
        elif source == "gpu":
            gpu.update(line)
        elif source == "modules":
            elsewhere = line["files"]
        elif source == "attribute":
            attributes.setdefault(line["of"], set()).add(str(line["value"]))
        elif source == "combined":
            summed.add(line["series"])
        elif source in texts:
            texts[source].append(line.get("path") or line.get("text", ""))
        else:
            key = (source, line["series"])
            points.setdefault(key, []).append(
                Point(
                    line["step"],
                    _number(line["value"]),
                    line.get("batches"),
                    line.get("whole", False),
                )
            )
            dtype = line.get("dtype", DEFAULT_TYPE)
            types[key] = less_precise(types.get(key, dtype), dtype)
            devices[key] = line.get("device", "")
    return Capture(
        rank=about.get("rank", 0),
        executable=about.get("executable", ""),
        began=about.get("time", 0.0),
        series=tuple(
            Series(
                name,
                source,
                tuple(found),
                types[source, name],
                devices[source, name],
                source == LOSS and name in summed,
            )
            for (source, name), found in points.items()
        ),
        steps=steps,
        global_step=global_step,
        checkpoints=tuple(map(Path, texts["checkpoint"])),
        weights=Path(texts["weights"][-1]) if texts["weights"] else None,
        notes=tuple(texts["note"]),
        gpu=gpu.get("name", ""),
        gpu_random=gpu.get("random", False),
        attributes={name: frozenset(found) for name, found in attributes.items()},
        never_on_npu="; ".join(dict.fromkeys(texts[_NEVER_ON_NPU])),
        elsewhere=tuple((name, Path(path)) for name, path in elsewhere.items()),
    )


def _number(value: object) -> float:
    return float(value) if isinstance(value, (int, float)) else math.nan


def from_output(log: Path, pattern: str) -> tuple[Series, ...]:
    """Read numbers that a program only prints.

    The pattern has a group ``value``, and may have groups ``step`` and ``series``.
    """
    expression = re.compile(pattern)
    points: dict[str, list[Point]] = {}
    for line in log.read_text(encoding="utf-8", errors="replace").splitlines():
        for match in expression.finditer(line):
            groups = match.groupdict()
            name = groups.get("series") or LOSS
            found = points.setdefault(name, [])
            value = _parse_number(groups["value"])
            if value is not None:
                found.append(Point(_step(groups.get("step"), len(found) + 1), value))
    return tuple(Series(name, OUTPUT, tuple(found)) for name, found in points.items() if found)


def _parse_number(text: str | None) -> float | None:
    try:
        return float((text or "").strip().rstrip(",;:"))
    except ValueError:
        return None


def _step(text: str | None, otherwise: int) -> int:
    return int(text) if text is not None and text.strip().isdigit() else otherwise
