"""Judge a verification: compare series, steps, checkpoints and weights of the two runs."""

from __future__ import annotations

import enum
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path

from ascendify.findings import Finding, Status
from ascendify.reports.model import Report
from ascendify.verify import series, weights
from ascendify.verify.captured import Capture, Series, mean
from ascendify.verify.sides import MIGRATED, Side
from ascendify.verify.tolerance import Tolerance

SAME_WEIGHTS = weights.WeightTolerance(1e-6, 1e-9)
"""How far the weights of two ranks may be apart: they apply the same updates."""


_GPU, _HOST = "cuda", "cpu"
ON_HOST = "EMU-TORCH-CPU-1"
"""The finding that a model trains on the CPU."""
NEVER_ON_NPU = "EMU-NPU-1"
"""The finding that a program for TensorFlow trains without ever using the NPU."""
_ON_HOST_TOO = (
    "The original trained on the CPU, too: give both commands the option that chooses the device, "
    "to see the training on the NPU."
)
_NAMED = 4
"""How many series the reasons name; the table has all of them."""


class VerifyResult(enum.Enum):
    """The result of a verification; the value is the exit code."""

    PASS = 0
    MISMATCH = 1
    ORIGINAL_FAILED = 3
    MIGRATED_FAILED = 4
    TIMED_OUT = 5
    NO_LOSS = 6


@dataclass(frozen=True)
class Verdict:
    """The result of a verification, with reasons, comparisons and findings."""

    result: VerifyResult
    reasons: tuple[str, ...]
    """Why it does not pass, the most important reason first."""
    notes: tuple[str, ...] = ()
    """Facts that do not count against it, but that the user should know."""
    original: Side | None = None
    migrated: Side | None = None
    comparisons: tuple[series.Comparison, ...] = ()
    weights: tuple[weights.WeightsComparison, ...] = ()
    report: Report | None = None
    """The findings of the stand-ins."""
    folder: Path = Path()
    """Logs and copies."""
    failed_side: Side | None = None
    explained: str = ""
    """Why the numbers of several devices differ although the migration is right, as in a reason."""
    without: str = ""
    """What both sides did without when their numbers agreed; empty where they agree as they are."""

    @property
    def compares_nothing(self) -> bool:
        """Whether it fails for no other reason than that both sides compute no numbers."""
        return _compares_nothing(self.comparisons, self.reasons)

    @property
    def blockers(self) -> tuple[Finding, ...]:
        """Findings that would stop the training on a device."""
        return blockers_of(self.report)


def _compares_nothing(comparisons: Sequence[series.Comparison], reasons: Sequence[str]) -> bool:
    silent = bool(comparisons) and all(one.says_nothing for one in comparisons)
    return silent and len(reasons) == len(list(_why_series(comparisons)))


@dataclass
class Evidence:
    """Comparisons and reasons against a pass, collected while judging."""

    reasons: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    comparisons: list[series.Comparison] = field(default_factory=list)
    weights: list[weights.WeightsComparison] = field(default_factory=list)
    explained: str = ""
    without: str = ""

    @property
    def result(self) -> VerifyResult:
        """The result of a comparison: without a number on either side there was none."""
        if not self.reasons:
            return VerifyResult.PASS
        nothing = _compares_nothing(self.comparisons, self.reasons)
        return VerifyResult.NO_LOSS if nothing else VerifyResult.MISMATCH

    @property
    def numbers_differ(self) -> bool:
        """Whether a series or a weight differs."""
        return any(not one.agrees for one in self.comparisons) or any(
            one.problems for one in self.weights
        )


def blockers_of(report: Report | None) -> tuple[Finding, ...]:
    """The findings of strict mode that count."""
    findings = report.findings if report is not None else ()
    return tuple(finding for finding in findings if finding.status is Status.BLOCKER)


def beside(original: Side, report: Report) -> Report:
    """Lower the finding that a model trains on the CPU, if the original trained there too."""
    losses = [one for each in original.captures for one in each.series if one.is_loss]
    if not losses or any(one.device != _HOST for one in losses):
        return report
    findings = tuple(
        replace(one, status=Status.MANUAL, todo=_ON_HOST_TOO) if one.code == ON_HOST else one
        for one in report.findings
    )
    return replace(report, findings=findings)


def judge(original: Side, migrated: Side, tolerance: Tolerance, report: Report | None) -> Evidence:
    """Compare two sides that both ran to their end."""
    evidence = _compare(original, migrated, tolerance)
    if tolerance.to_gpu:
        evidence.notes[:0] = _about_gpu(original, tolerance)
    return judge_alone(migrated, report, evidence, original)


def judge_alone(
    migrated: Side, report: Report | None, evidence: Evidence, original: Side | None = None
) -> Evidence:
    """Judge what needs no original: ranks with equal weights, and nothing that a device refuses."""
    _judge_ranks(migrated, original, evidence)
    found = blockers_of(report)
    without = next((one.never_on_npu for one in migrated.captures if one.never_on_npu), "")
    if without or any(one.code == NEVER_ON_NPU for one in found):
        why = f" ({without})" if without else ""
        evidence.reasons.append(
            f"the migrated project trained without the NPU{why}, so equal numbers prove nothing"
        )
    elif found:
        evidence.reasons.append(
            f"a device would refuse {len(found)} thing{'s' * (len(found) > 1)}: see the findings"
        )
    return evidence


def _compare(original: Side, migrated: Side, tolerance: Tolerance) -> Evidence:
    evidence = Evidence()
    pairs = list(_processes(original.captures, migrated.captures, evidence))
    for left, right in pairs:
        _judge_series(left, right, tolerance, evidence)
    evidence.reasons.extend(_why_series(evidence.comparisons))
    for left, right in pairs:
        _judge_steps(left, right, evidence)
        _judge_attributes(left, right, evidence)
    if pairs:
        _judge_weights(*pairs[0], tolerance, evidence, _own_samples(original, migrated))
    return evidence


def _about_gpu(original: Side, tolerance: Tolerance) -> Iterator[str]:
    """Add notes on a comparison with an original that ran on a real GPU."""
    names = {capture.gpu for capture in original.captures if capture.gpu}
    if not names:
        yield (
            "the original did not train on the GPU, although --original-on gpu offered it one: "
            "look at the device it chooses"
        )
        return
    yield (
        f"the original ran on {', '.join(sorted(names))}, which rounds differently than the CPU: "
        "larger differences are allowed, and of weights only names, shapes and types count"
    )
    if tolerance.means:
        yield (
            "the GPU drew random numbers itself, in a fused kernel, and those of a GPU differ from "
            "the CPU's: of every series only the means are compared"
        )


def _processes(
    original: Sequence[Capture], migrated: Sequence[Capture], evidence: Evidence
) -> Iterator[tuple[Capture, Capture]]:
    """Pair the processes that trained: by rank, and within a rank in the order they began."""
    sides = [
        {
            rank: [one for one in group if one.series]
            for rank, group in groupby(captures, key=lambda capture: capture.rank)
        }
        for captures in (original, migrated)
    ]
    left, right = sides
    if len(left) == 1 and len(right) > 1:
        # ranks divide the batch of the one process, so their losses together are its loss
        evidence.notes.append(
            f"the mean over {len(right)} ranks is compared with the one process of the original; "
            "they agree only where the ranks share its batches, not where each draws its own"
        )
        right = {rank: [mean(ranks) for ranks in zip(*right.values())] for rank in left}
    elif set(left) != set(right):
        evidence.notes.append(
            f"the original trained in {len(left)} process{'es' * (len(left) != 1)}, the migrated "
            f"project in {len(right)}: only ranks that both have are compared"
        )
    for rank in sorted(set(left) & set(right)):
        if len(left[rank]) != len(right[rank]):
            evidence.notes.append(
                f"rank {rank}: {len(left[rank])} processes of the original and "
                f"{len(right[rank])} of the migrated project recorded numbers"
            )
        yield from zip(left[rank], right[rank])


def _judge_series(left: Capture, right: Capture, tolerance: Tolerance, evidence: Evidence) -> None:
    alignment = series.align(left.series, right.series)
    for one, other in alignment.pairs:
        comparison = series.compare(one, other, tolerance, left.rank)
        evidence.comparisons.append(comparison)
        for reason in _why_elsewhere(one, other):
            evidence.reasons.append(_at_rank(left.rank, right, reason))
        if comparison.other_data is not None:
            seen, now = comparison.other_data
            counts = f"{comparison.name} is of {seen} batches in the original and of {now} after"
            if comparison.leaves_out:
                lost = f"{counts} the migration: it leaves samples out, which no device asks for"
                evidence.reasons.append(_at_rank(left.rank, right, lost))
                continue
            evidence.notes.append(
                f"{counts} the migration, so it is not compared: a last, smaller batch may have "
                "been dropped"
            )
    for only, side in (
        (alignment.only_original, "original"),
        (alignment.only_migrated, "migrated project"),
    ):
        if only:
            evidence.notes.append(f"only the {side} has {_names(only)}")
    if not any(one.is_loss or other.is_loss for one, other in alignment.pairs):
        evidence.notes.append("no loss of an optimizer is among the series, only other numbers")


def _why_elsewhere(one: Series, other: Series) -> Iterator[str]:
    """Say where a number was computed on another device or in another type than in the original."""
    if (one.device, other.device) == (_GPU, _HOST):
        yield (
            f"{one.name} is computed on the GPU by the original, and on the CPU after the "
            "migration: a question for a GPU may be left"
        )
    if one.device and one.dtype != other.dtype:
        yield (
            f"{one.name} is computed in {one.dtype} by the original, and in {other.dtype} after "
            "the migration"
        )


def _why_series(comparisons: Sequence[series.Comparison]) -> Iterator[str]:
    """Name the series that differ first, losses before others."""
    parted = [one for one in comparisons if not one.agrees]
    parted.sort(key=lambda one: (not one.original.is_loss, one.parts_at))
    for one in parted[:_NAMED]:
        yield f"rank {one.rank}: {_why(one)}" if one.rank else _why(one)
    if len(parted) > _NAMED:
        yield f"{len(parted) - _NAMED} more series differ"


def _why(comparison: series.Comparison) -> str:
    """Why two series do not agree; empty when they do."""
    if comparison.agrees:
        return ""
    if comparison.compared == 0:
        return f"{comparison.name}: no step is recorded by both sides"
    first = comparison.first_divergence
    if first is None:
        return f"{comparison.name}: both sides are NaN from the first step, which proves nothing"
    return (
        f"{comparison.name} differs from step {first.step} on: {first.original:.7g} in the "
        f"original, {first.migrated:.7g} after the migration (allowed {first.allowed:.2g} of it)"
    )


def _judge_steps(left: Capture, right: Capture, evidence: Evidence) -> None:
    if left.global_step and right.global_step:
        counts = (left.global_step, right.global_step)
        what = "ends at global step"
    else:
        counts = (left.steps, right.steps)
        what = "runs training steps:"
    if counts[0] != counts[1]:
        text = f"the original {what} {counts[0]}, the migrated project {counts[1]}"
        begun = [_first_step(side) for side in (left, right)]
        if begun[0] != begun[1]:
            side = "original" if begun[0] > begun[1] else "migrated project"
            text += (
                f"; the {side} begins at step {max(begun)}, so it went on from a checkpoint of an "
                "earlier run: remove it from the folder"
            )
        elif counts[0] > counts[1]:
            text += (
                "; if the migration drops a smaller last batch, compare with a batch size that "
                "divides the number of samples"
            )
        evidence.reasons.append(_at_rank(left.rank, right, text))
    evidence.notes.extend(f"original: {note}" for note in left.notes)
    evidence.notes.extend(f"migrated: {note}" for note in right.notes)


def _judge_attributes(left: Capture, right: Capture, evidence: Evidence) -> None:
    """Compare attributes of decoders, which few numbers show before a network has learned."""
    for name in sorted(left.attributes.keys() & right.attributes.keys()):
        before, after = (_listed(side.attributes[name]) for side in (left, right))
        if before != after:
            text = f"{name} is {before} in the original, {after} after the migration"
            evidence.reasons.append(_at_rank(left.rank, right, text))


def _listed(found: frozenset[str]) -> str:
    return ", ".join(sorted(found))


def _first_step(capture: Capture) -> int:
    steps = (one.points[0].step for one in capture.series if one.is_loss and one.points)
    return min((step for step in steps if step is not None), default=0)


def _own_samples(original: Side, migrated: Side) -> Callable[[str], bool]:
    """What tells tensors that may differ because a rank of one side reads fewer samples."""
    numbers = {len({one.rank for one in side.captures}) for side in (original, migrated)}
    return weights.is_metric if len(numbers) > 1 else lambda _: False


def _judge_weights(
    left: Capture,
    right: Capture,
    tolerance: Tolerance,
    evidence: Evidence,
    ignores: Callable[[str], bool],
) -> None:
    """Compare the last checkpoints, and the weights at the end of training."""
    steps = max(left.steps, 1)
    relative = math.inf if tolerance.to_gpu else tolerance.allowed(steps - 1)
    noise = tolerance.allowed_noise
    allowed = weights.WeightTolerance(relative, tolerance.absolute, noise, ignores)
    if left.checkpoints and right.checkpoints:
        files = weights.WeightFiles(left.checkpoints[-1], right.checkpoints[-1], left.executable)
        _compare_weights("last checkpoint", files, allowed, evidence)
    elif left.checkpoints or right.checkpoints:
        side = "original" if left.checkpoints else "migrated project"
        evidence.reasons.append(f"only the {side} writes a checkpoint")
    if left.weights and right.weights:
        files = weights.WeightFiles(left.weights, right.weights, left.executable)
        _compare_weights("final weights", files, allowed, evidence)


def _judge_ranks(side: Side, original: Side | None, evidence: Evidence) -> None:
    """Compare the weights of ranks: they are equal at the end where ranks trained one model.

    Where they are not, that comes first: numbers that differ from the original's follow from it.
    What the original's ranks have of their own, such as the stages of a pipeline, those of the
    migrated project may have too; where the original had one rank, statistics may differ.
    """
    before = Evidence()
    if original is not None:
        _compare_ranks(original, SAME_WEIGHTS, before)
    known = bool(before.weights)
    apart = {problem.name for one in before.weights for problem in one.problems}

    def has_own(name: str) -> bool:
        return name in apart if known else weights.is_statistic(name)

    ranks = Evidence()
    _compare_ranks(side, replace(SAME_WEIGHTS, ignores=has_own), ranks)
    evidence.reasons[:0] = ranks.reasons
    evidence.notes.extend(ranks.notes)
    evidence.weights.extend(ranks.weights)


def _compare_ranks(side: Side, allowed: weights.WeightTolerance, evidence: Evidence) -> None:
    """Compare the weights of the first rank that trained with those of each other one."""
    trained = [one for one in side.captures if one.weights is not None]
    for other in trained[1:]:
        first = trained[0]
        if first.weights is not None and other.weights is not None and other.rank != first.rank:
            what = f"weights of ranks {first.rank} and {other.rank}"
            files = weights.WeightFiles(first.weights, other.weights, first.executable)
            _compare_weights(what, files, allowed, evidence)


def _compare_weights(
    what: str, files: weights.WeightFiles, allowed: weights.WeightTolerance, evidence: Evidence
) -> None:
    try:
        comparison = weights.compare(what, files, allowed)
    except (OSError, ValueError) as error:
        evidence.notes.append(f"{what}: not compared, {error}")
        return
    evidence.weights.append(comparison)
    if comparison.problems:
        worst = comparison.problems[0]
        more = len(comparison.problems) - 1
        evidence.reasons.append(
            f"{what}: {worst.name} {worst.problem}" + (f", and {more} more" if more else "")
        )


def measure_noise(original: Side, again: Side, tolerance: Tolerance) -> Mapping[str, float]:
    """Return the largest error between two runs of the original, for what differs at all."""
    evidence = _compare(original, again, tolerance)
    found: dict[str, float] = {}
    errors = [(one.name, one.largest_error) for one in evidence.comparisons]
    errors += [pair for one in evidence.weights for pair in one.errors.items()]
    for name, error in errors:
        if error:
            found[name] = max(found.get(name, 0.0), error)
    return found


def unrepeatable(original: Side, again: Side, tolerance: Tolerance) -> str:
    """Say where two runs of the original differ by more than is allowed; empty when they agree."""
    evidence = _compare(original, again, tolerance)
    parted = [one for one in evidence.comparisons if one.first_divergence]
    moved = [(one.what, one.problems[0]) for one in evidence.weights if one.problems]
    if parted:
        first = min(parted, key=lambda one: (not one.original.is_loss, one.parts_at))
        where = f"{first.name} differs from step {first.parts_at} on"
    elif moved:
        what, worst = moved[0]
        where = f"of its {what}, {worst.name} {worst.problem}"
    else:
        return ""
    return (
        f"the original does not repeat itself: {where} when it is run again, so the comparison "
        "proves nothing; look for threads that feed data, the clock, seeds from the system, or "
        "variables that are updated while gradients are still computed from them"
    )


def _at_rank(rank: int, capture: Capture, text: str) -> str:
    return f"rank {rank}: {text}" if rank or capture.rank else text


def _names(found: Sequence[Series], most: int = 5) -> str:
    names = ", ".join(one.name for one in found[:most])
    return names + (f" and {len(found) - most} more" if len(found) > most else "")


def failure(side: Side) -> VerifyResult | None:
    """The result of a verification of which a side did not finish; None when it did."""
    if side.outcome.timed_out:
        return VerifyResult.TIMED_OUT
    if not side.outcome.succeeded:
        return (
            VerifyResult.MIGRATED_FAILED if side.name == MIGRATED else VerifyResult.ORIGINAL_FAILED
        )
    return None if side.has_loss else VerifyResult.NO_LOSS
