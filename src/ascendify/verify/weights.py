"""Compare saved weights of two runs: names, shapes, types and values of their tensors."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ascendify.emulation.environment import search_path
from ascendify.jobs.environment import without_unset
from ascendify.processes.commands import run_program

BOOKKEEPING: tuple[tuple[str, str], ...] = (
    (r"(^|/)npu_runconfig/", "steps that the device runs in one go"),
    (r"(^|/)(loss_scale|good_steps|bad_steps|num_good_steps|num_bad_steps)$", "loss scaling"),
    (r"(^|/)(current_loss_scale|loss_scale_optimizer/.*)$", "loss scaling"),
    (r"(^|/)(horovod|hvd)[^/]*(/|$)", "Horovod"),
    (r"(^|/)_CHECKPOINTABLE_OBJECT_GRAPH$", "which Python objects were saved"),
    (r"(^|/)save_counter(/|$)", "how often was saved"),
    (r"(^|/)state/[^/]+/step$", "an optimizer's number of steps, which fused ones keep as int"),
    (r", part of rank \d+$", "a shard, which no other rank has"),
)
"""Tensors that a migration may add or remove: a pattern of their names, and their purpose."""
_STATISTICS = re.compile(r"(^|[/.])running_(mean|var)$")
_METRICS = re.compile(r"(^|/)metrics/")
_NARROWED = frozenset({("float64", "float32")})
"""Types that a migration changes because an NPU cannot hold the first; the values must agree."""
_PATIENCE_SECONDS = 600.0


@dataclass(frozen=True)
class WeightFiles:
    """Two files of weights, and the interpreter whose framework wrote them."""

    original: Path
    migrated: Path
    interpreter: str


@dataclass(frozen=True)
class WeightTolerance:
    """How much tensors may differ."""

    relative: float
    absolute: float
    noise: Callable[[str], float] = lambda _: 0.0
    """What is allowed because of the noise of a tensor."""
    ignores: Callable[[str], bool] = lambda _: False
    """Whether a tensor may differ by any amount, by its name."""

    def error(self, apart: float, scale: float) -> float:
        """A difference as a share of the tensor's largest value; one too small to matter is 0.

        Gradients that are zero but for rounding leave such differences: an optimizer that divides
        by their size makes weights of them.
        """
        if apart <= self.absolute:
            return 0.0
        return apart / scale if scale else math.inf


@dataclass(frozen=True)
class TensorProblem:
    """A tensor that does not agree, and why."""

    name: str
    problem: str


@dataclass(frozen=True)
class WeightsComparison:
    """Two sets of weights side by side."""

    what: str
    """Such as ``checkpoint`` or ``weights of ranks 0 and 1``."""
    files: WeightFiles
    compared: int
    largest_error: float
    problems: tuple[TensorProblem, ...]
    ignored: tuple[str, ...] = ()
    """Bookkeeping that only one side has, and what may differ by any amount."""
    errors: Mapping[str, float] = field(default_factory=dict)
    """The error of each tensor that both have with finite numbers."""

    @property
    def agrees(self) -> bool:
        """Whether nothing is wrong with any tensor."""
        return not self.problems and (self.compared > 0 or bool(self.ignored))


def compare(what: str, files: WeightFiles, allowed: WeightTolerance) -> WeightsComparison:
    """Compare two files, read by the interpreter that wrote them.

    Raises:
        OSError, ValueError: they cannot be read; the message says why.
    """
    return judge(what, files, read_both(files), allowed)


def read_both(files: WeightFiles) -> dict[str, Any]:
    """Compare two files with a program that runs in the user's interpreter."""
    environment = {
        **without_unset(os.environ),
        "PYTHONPATH": search_path(os.environ),
        "CUDA_VISIBLE_DEVICES": "-1",
        "OMP_NUM_THREADS": "1",  # files are read, nothing is computed
        "PYTHONWARNINGS": "ignore",
        "TF_CPP_MIN_LOG_LEVEL": "3",
    }
    module = "ascendify_startup.compare_weights"
    answer = run_program(
        (files.interpreter, "-m", module, str(files.original), str(files.migrated)),
        environment=environment,
        timeout=_PATIENCE_SECONDS,
    )
    if answer.returncode != 0:
        raise ValueError((answer.stderr.strip().splitlines() or ["no reason given"])[-1])
    found: dict[str, Any] = json.loads(answer.stdout)
    return found


def judge(
    what: str, files: WeightFiles, read: Mapping[str, Any], allowed: WeightTolerance
) -> WeightsComparison:
    """List the problems found in the tensors that were read."""
    left, right = read["original"], read["migrated"]
    differences = {
        name: None if apart is None else allowed.error(*apart)
        for name, apart in read["differences"].items()
    }
    problems, ignored = [], []
    for name in sorted({*left, *right}):
        if allowed.ignores(name):
            ignored.append(name)
            differences.pop(name, None)
            continue
        if name in left and name in right:
            most = max(allowed.relative, allowed.noise(name))
            problem = _problem(left[name], right[name], differences.get(name, 0.0), most)
        elif _is_bookkeeping(name):
            ignored.append(name)
            continue
        else:
            problem = "is missing in the migrated one" if name in left else "is new"
        if problem:
            problems.append(TensorProblem(name, problem))
    known = {name: value for name, value in differences.items() if value is not None}
    return WeightsComparison(
        what=what,
        files=files,
        compared=len(set(left) & set(right)),
        largest_error=max(known.values(), default=0.0),
        problems=tuple(problems),
        ignored=tuple(ignored),
        errors=known,
    )


def _problem(
    left: Mapping[str, Any], right: Mapping[str, Any], difference: float | None, allowed: float
) -> str:
    if left["shape"] != right["shape"]:
        return f"has shape {_shape(right)} instead of {_shape(left)}"
    if (left["dtype"], right["dtype"]) not in _NARROWED and left["dtype"] != right["dtype"]:
        return f"is {right['dtype']} instead of {left['dtype']}"
    if difference is None:
        return "is not finite on one side only"
    if difference > allowed:
        return f"differs by {difference:.2g} of its largest value (allowed {allowed:.2g})"
    return ""


def _shape(about: Mapping[str, Any]) -> str:
    return "x".join(map(str, about["shape"])) or "scalar"


def is_statistic(name: str) -> bool:
    """Whether a tensor is a statistic of a batch normalization.

    Each rank computes those of its own batches; they are shared at the next forward pass only.
    """
    return _STATISTICS.search(name) is not None


def is_metric(name: str) -> bool:
    """Whether a tensor of a checkpoint is the sum or count of a metric: over a rank's samples."""
    return _METRICS.search(name) is not None


def _is_bookkeeping(name: str) -> bool:
    return any(re.search(pattern, name) for pattern, _ in BOOKKEEPING)
