"""One verification from beginning to end."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from ascendify.emulation import run_report
from ascendify.reports.model import Report
from ascendify.verify import scratch, several
from ascendify.verify.gpu import GPU
from ascendify.verify.judge import (
    Evidence,
    Verdict,
    VerifyResult,
    beside,
    failure,
    judge,
    judge_alone,
    measure_noise,
    unrepeatable,
)
from ascendify.verify.reordering import OPERATORS, describe, find_operators, find_removed
from ascendify.verify.request import VerifyRequest
from ascendify.verify.shadowed import find_shadowed
from ascendify.verify.sides import MIGRATED, ORIGINAL, Side, run
from ascendify.verify.tolerance import CEILING, Tolerance

_NOT_STRICT = (
    "strict mode was off (--no-strict): what a device would refuse was not looked for, so this "
    "says only whether the numbers are equal"
)
_NOISE = (
    "the original does not repeat itself to the last bit: two runs of it differ by up to "
    "{largest:.1e}, and three times what a number differs by is allowed for it, up to 2 %"
)
_ROUNDING = (
    "the two add up in another order: an original that begins a rounding error away from its first "
    "weights ends up to {largest:.1e} away, and three times what a weight differs by is allowed, "
    "up to 2 %"
)
_UNSTABLE = (
    "not compared, because a rounding error of the first weights changes these by more than 2 %, "
    "while all losses stay as they are: {names}"
)
_NAMED = 5
"""How many of these are named."""
_WHY = {
    VerifyResult.ORIGINAL_FAILED: "the original failed ({how}): nothing to compare with",
    VerifyResult.MIGRATED_FAILED: "the migrated project failed ({how})",
    VerifyResult.TIMED_OUT: "the {side} project was stopped after {seconds:.0f} s: time-out",
    VerifyResult.NO_LOSS: "the {side} project recorded no loss and no other number",
}


def verify(
    request: VerifyRequest, progress: Callable[[str], None], original: Side | None = None
) -> Verdict:
    """Run both sides, one after the other, and judge.

    Args:
        request: The verification.
        progress: Called with a sentence before each step.
        original: A run of the original that an earlier verification of the same command made.

    Raises:
        KeyboardInterrupt: on Ctrl-C, after all processes are stopped.
    """
    folder = request.folder or Path(tempfile.mkdtemp(prefix="ascendify-verify-"))
    done: dict[str, Side] = {ORIGINAL: original} if original else {}
    notes: list[str] = []
    for name, project in ((ORIGINAL, request.original), (MIGRATED, request.migrated)):
        if name in done:
            continue
        on_gpu = name == ORIGINAL and request.original_on == GPU
        progress(f"running the {name} project{' on the GPU' * on_gpu}")
        done[name] = _run(name, request, project, folder, notes)
        notes.extend(done[name].notes)
        result = failure(done[name])
        if result is not None:
            return _failed_verdict(result, request, done, notes, folder)
    progress("comparing")
    report = _report(done[MIGRATED], request)
    report = beside(done[ORIGINAL], report) if report else None
    evidence = _judge(request, done, report, folder, progress)
    if several.may_differ(request, done[ORIGINAL], done[MIGRATED], evidence):
        sides = done[ORIGINAL], done[MIGRATED]
        evidence = _judge_several(request, sides, evidence, report, folder, progress)
    module = find_operators(request.migrated)
    if module and request.original_on != GPU and request.tolerance.relative is None:
        notes.append(OPERATORS.format(module=module))
    if not request.strict:
        notes.append(_NOT_STRICT)
    evidence.reasons[:0] = find_shadowed(
        request.original, request.migrated, done[MIGRATED].captures
    )
    return Verdict(
        result=evidence.result,
        reasons=tuple(evidence.reasons),
        notes=(*notes, *evidence.notes),
        original=done[ORIGINAL],
        migrated=done[MIGRATED],
        comparisons=tuple(evidence.comparisons),
        weights=tuple(evidence.weights),
        report=report,
        folder=folder,
        explained=evidence.explained,
        without=evidence.without,
    )


def _judge(
    request: VerifyRequest,
    done: dict[str, Side],
    report: Report | None,
    folder: Path,
    progress: Callable[[str], None],
) -> Evidence:
    """Compare both sides; where numbers differ, run the original again to find out why."""
    original, migrated = done[ORIGINAL], done[MIGRATED]
    tolerance = _tolerance(request, original)
    evidence = judge(original, migrated, tolerance, report)
    if not request.repeat or not evidence.numbers_differ:
        return evidence
    progress("running the original project again, to see whether it repeats itself")
    again = _run(ORIGINAL, request, request.original, folder / "again", evidence.notes)
    noise = measure_noise(original, again, tolerance)
    if noise:
        tolerance = replace(tolerance, noise=noise)
        evidence = judge(original, migrated, tolerance, report)
        evidence.notes.append(_NOISE.format(largest=max(noise.values())))
    reason = unrepeatable(original, again, tolerance)
    if reason:
        evidence.reasons.insert(0, reason)
    elif _may_be_rounding(request, evidence):
        sides = original, migrated
        evidence = _judge_moved(request, sides, report, evidence, folder, progress)
    if evidence.numbers_differ and not reason:
        return _judge_reordered(request, migrated, tolerance, report, evidence, folder, progress)
    return evidence


def _judge_reordered(
    request: VerifyRequest,
    migrated: Side,
    tolerance: Tolerance,
    report: Report | None,
    evidence: Evidence,
    folder: Path,
    progress: Callable[[str], None],
) -> Evidence:
    """Compare with an original that adds up in the migrated project's order, where it has another.

    The given evidence, of the original as it is, stands where that does not explain the numbers.
    """
    removed = find_removed(request.original, request.migrated)
    if not removed or request.original_on == GPU:
        return evidence
    without = " and ".join(one.name for one in removed)
    progress(f"running the original project without {without}, as the migration made it")
    controlled = replace(request, without=removed)
    control = _run(ORIGINAL, controlled, request.original, folder / "control", evidence.notes)
    against = judge(control, migrated, tolerance, report)
    if failure(control) is not None or against.numbers_differ:
        return evidence
    errors = [one.largest_error for one in evidence.comparisons if one.original.is_loss]
    against.notes.append(describe(removed, max(errors, default=0.0)))
    return against


def _may_be_rounding(request: VerifyRequest, evidence: Evidence) -> bool:
    """Whether every loss agrees, and a weight or metric does not, in TensorFlow."""
    losses = [one.agrees for one in evidence.comparisons if one.original.is_loss]
    agree = bool(losses) and all(losses)
    return evidence.numbers_differ and agree and several.is_tensorflow(request)


def _judge_moved(
    request: VerifyRequest,
    sides: tuple[Side, Side],
    report: Report | None,
    evidence: Evidence,
    folder: Path,
    progress: Callable[[str], None],
) -> Evidence:
    """Compare weights by what rounding makes of them, for sides that add up in different orders.

    Optimizers that divide a gradient by its size make steps of one that is zero but for rounding.
    The given evidence stands where that does not explain the weights.
    """
    progress("running the original project from weights a rounding error away")
    moved = replace(request, moved_weights=True)
    again = _run(ORIGINAL, moved, request.original, folder / "moved", evidence.notes)
    if failure(again) is not None:
        return evidence
    tolerance = _tolerance(request, sides[0])
    noise = measure_noise(sides[0], again, tolerance)
    unstable = _unstable(evidence, noise)
    judged = judge(*sides, replace(tolerance, noise=noise, unstable=unstable), report)
    if judged.numbers_differ:
        return evidence
    known = [error for name, error in noise.items() if name not in unstable]
    judged.notes.append(_ROUNDING.format(largest=max(known, default=0.0)))
    if unstable:
        names = sorted(unstable)
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        judged.notes.append(_UNSTABLE.format(names=", ".join(names[:_NAMED]) + more))
    return judged


def _unstable(evidence: Evidence, noise: Mapping[str, float]) -> frozenset[str]:
    """What rounding changes too much to be compared; nothing where that is most of the numbers.

    A weight before a normalization has gradients of zero but for rounding; losses, and the other
    weights, still show what an update does.
    """
    found = {name for name, error in noise.items() if error > CEILING}
    losses = {one.name for one in evidence.comparisons if one.original.is_loss}
    every = {one.name for one in evidence.comparisons}
    every |= {name for one in evidence.weights for name in one.errors}
    most = 2 * len(found) > len(every - losses)
    return frozenset() if most or found & losses else frozenset(found)


def _judge_several(
    request: VerifyRequest,
    sides: tuple[Side, Side],
    evidence: Evidence,
    report: Report | None,
    folder: Path,
    progress: Callable[[str], None],
) -> Evidence:
    """Compare without what each device has of its own; see :mod:`ascendify.verify.several`.

    The given evidence, of both sides as they are, stands where that does not explain the numbers.
    """
    closest = _without_metrics(request, sides, report, evidence)
    if _may_be_rounding(request, closest):
        closest = _judge_moved(request, sides, report, closest, folder, progress)
    if not closest.numbers_differ:
        return closest
    if several.depends_on_batch(request):
        progress("comparing again, without random numbers and statistics of a batch")
        request = replace(request, independent_samples=True)
        sides = _run_both(request, folder / "independent", evidence.notes)
        failed = next((side for side in sides if failure(side) is not None), None)
        if failed is not None:
            evidence.notes.append(several.CONTROL_FAILED.format(how=failed.blamed.how))
        else:
            closest = judge(*sides, _tolerance(request, sides[0]), report)
            closest = _without_metrics(request, sides, report, closest)
            if _may_be_rounding(request, closest):
                moved = folder / "independent"
                closest = _judge_moved(request, sides, report, closest, moved, progress)
            if not closest.numbers_differ:
                closest.notes.append(several.describe(evidence))
                closest.without = several.OWN
                return closest
    if several.is_summed(closest, request.devices):
        progress("comparing again, with gradients added up")
        request = replace(request, add_gradients=True)
        sides = _run_both(request, folder / "added", evidence.notes)
        if all(failure(side) is None for side in sides):
            losses = several.losses_only(sides[0]), several.losses_only(sides[1], add=True)
            added = judge(*losses, _tolerance(request, sides[0]), report)
            if not added.numbers_differ:
                evidence.explained = several.SUMMED.format(ranks=request.devices)
                evidence.reasons.insert(0, evidence.explained)
    return evidence


def _without_metrics(
    request: VerifyRequest, sides: tuple[Side, Side], report: Report | None, evidence: Evidence
) -> Evidence:
    """Compare losses and weights alone, where a device computes metrics of its own samples."""
    names = several.metrics_apart(evidence)
    if not names:
        return evidence
    losses = several.losses_only(sides[0]), several.losses_only(sides[1])
    judged = judge(*losses, _tolerance(request, sides[0]), report)
    judged.notes.append(several.METRICS.format(names=names))
    return judged


def _run_both(request: VerifyRequest, folder: Path, notes: list[str]) -> tuple[Side, Side]:
    """Run both sides as control runs."""
    return (
        _run(ORIGINAL, request, request.original, folder, notes),
        _run(MIGRATED, request, request.migrated, folder, notes),
    )


def try_migrated(request: VerifyRequest, progress: Callable[[str], None]) -> Verdict:
    """Run only the migrated project: does it train to the end, with one model on all ranks?

    For trainings that have nothing to be compared with, such as one with a larger batch.
    """
    folder = request.folder or Path(tempfile.mkdtemp(prefix="ascendify-verify-"))
    notes: list[str] = []
    progress(f"running the migrated project on {request.devices} devices")
    side = _run(MIGRATED, request, request.migrated, folder, notes)
    notes.extend(side.notes)
    result = failure(side)
    if result is not None:
        return _failed_verdict(result, request, {MIGRATED: side}, notes, folder)
    report = _report(side, request)
    evidence = judge_alone(side, report, Evidence())
    return Verdict(
        result=evidence.result,
        reasons=tuple(evidence.reasons),
        notes=(*notes, *evidence.notes),
        migrated=side,
        weights=tuple(evidence.weights),
        report=report,
        folder=folder,
    )


def _tolerance(request: VerifyRequest, original: Side) -> Tolerance:
    """What the user allows, or what is usual for where the original ran and what was rewritten."""
    if request.original_on != GPU:
        return replace(request.tolerance, reordered=bool(find_operators(request.migrated)))
    drew = any(capture.gpu_random for capture in original.captures)
    return replace(request.tolerance, to_gpu=True, means=drew)


def _run(name: str, request: VerifyRequest, project: Path, folder: Path, notes: list[str]) -> Side:
    if request.in_place:
        return run(name, request, project, folder / f"{name}-logs")
    copy = scratch.make(project, folder / name / project.resolve().name)
    replaced = request.replaced if name == MIGRATED else request.replaced_original
    for path, content in replaced:
        file = copy.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    side = run(name, request, copy.folder, folder / f"{name}-logs")
    notes.extend(f"the {name} run wrote to {path}, which is yours" for path in copy.changed())
    return side


def _failed_verdict(
    result: VerifyResult,
    request: VerifyRequest,
    done: dict[str, Side],
    notes: list[str],
    folder: Path,
) -> Verdict:
    side = list(done.values())[-1]
    reason = _WHY[result].format(side=side.name, how=side.blamed.how, seconds=side.outcome.seconds)
    captured = [f"{side.name}: {note}" for capture in side.captures for note in capture.notes]
    return Verdict(
        result=result,
        reasons=(reason,),
        notes=(*notes, *captured),
        original=done.get(ORIGINAL),
        migrated=done.get(MIGRATED),
        report=_report(done.get(MIGRATED), request),
        folder=folder,
        failed_side=side,
    )


def _report(side: Side | None, request: VerifyRequest) -> Report | None:
    """The findings of the stand-ins, with paths relative to the project."""
    if side is None or not request.strict:
        return None
    report = run_report.report(side.findings, side.folder, "verify")
    return replace(report, root=str(request.migrated))
