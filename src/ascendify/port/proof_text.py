"""The part of ``ascendify port``'s last screen about the trainings that were compared."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ascendify.port.proof import Proof
from ascendify.port.session import PortResult
from ascendify.port.settle import is_shown
from ascendify.reports import wording
from ascendify.reports.model import Report
from ascendify.verify.judge import VerifyResult
from ascendify.verify.text import NO_LOSS_HINT
from ascendify.verify.text import error as error_text

_FAILURE = {
    VerifyResult.MISMATCH: "not like the original",
    VerifyResult.ORIGINAL_FAILED: "the original failed",
    VerifyResult.MIGRATED_FAILED: "the port failed",
    VerifyResult.TIMED_OUT: "out of time",
    VerifyResult.NO_LOSS: "no loss was found",
}
_TOWERS = "TF1-TOWER-1"
_ERROR = re.compile(r"[\w.]*(?:Error|Exception|Interrupt)\b")
"""Begins the line that names an error; TensorFlow prints where its operator was made after it."""
_LIBRARY = re.compile(r"^(?:\w+\.)+(?=\w+(?:Error|Exception)\b)")
_WHY_DIFFERENT = (
    "they differ without shuffling, random numbers, dropout and batch normalization, too: look at "
    "how the data is divided and what the loss adds to the mean over its batch"
)


def failed(proof: Proof, report: Report) -> list[str]:
    """Return why a training stops the port, the cause in the first line, and where to look.

    Args:
        proof: The training.
        report: The report of the migration.
    """
    verdict, side = proof.verdict, proof.verdict.failed_side
    devices = wording.plural(proof.devices, "device")
    what, reasons = f"training on {devices}: {_FAILURE[verdict.result]}", verdict.reasons[:3]
    if side is None and verdict.blockers:
        refused = verdict.blockers[0]
        found = [f"{what}: {wording.place(refused)} {refused.found}", *reasons]
    elif side is None:
        towers = next((one for one in report.findings if one.code == _TOWERS), None)
        if towers is not None and proof.devices == 1 and not proof.note:
            what += f", whose process trains several towers ({wording.place(towers)}), the port one"
        found = [": ".join([what, *reasons[:1]]), *reasons[1:]]
    elif verdict.result is VerifyResult.NO_LOSS:
        found = [what, *reasons, NO_LOSS_HINT]
    elif verdict.result is VerifyResult.TIMED_OUT:
        found = [what, *reasons]
    else:
        said = [line.strip() for line in side.blamed.last_lines if line.strip()]
        error = next((at for at, line in reversed([*enumerate(said)]) if _ERROR.match(line)), -1)
        raised = [_LIBRARY.sub("", line) for line in said[error:][:1]]
        found = [": ".join([what, *raised]), *reasons, *said[error - 1 :][:1]]
        found += [side.advice] if side.advice else []
    found += [f"{wording.place(one)}  {one.code}  {one.found}" for one in verdict.blockers[:3]]
    return [*found, f"logs and copies in {verdict.folder}"]


def section(result: PortResult) -> Iterator[tuple[str, str]]:
    """Yield the lines about all trainings, each with its style."""
    yield "", ""
    yield "Shown on this machine", "bold"
    for proof in result.proofs:
        yield from _lines(proof)
    closed = sum(map(is_shown, result.report.findings))
    if closed:
        one = closed == 1
        yield (
            f"  {closed} finding{'s' * (not one)} of the migration {'is' if one else 'are'} "
            f"closed by it; score {result.score}/100",
            "",
        )


def _lines(proof: Proof) -> Iterator[tuple[str, str]]:
    devices = f"{proof.devices} device{'s' * (proof.devices > 1)}"
    label = f"  {devices:10}"
    if not proof.holds:
        yield f"{label} {_FAILURE[proof.verdict.result]}", "red"
        return
    if proof.differs:
        note = f", {proof.note}" if proof.note else ""
        same = "trains, all devices with the same weights, but not like one device"
        yield f"{label} {same}{note}:", "yellow"
        yield f"             {proof.differs}", "dim"
        if not proof.verdict.explained:
            yield f"             {_WHY_DIFFERENT}", "dim"
        return
    if not proof.compared:
        yield f"{label} trains, all devices with the same weights; not compared: {proof.note}", ""
        return
    losses = [one for one in proof.verdict.comparisons if one.original.is_loss]
    chosen = losses or list(proof.verdict.comparisons)
    points = sum(one.compared for one in chosen)
    worst = max((one.largest_error for one in chosen), default=0.0)
    note = f", {proof.note}" if proof.note else ""
    yield (
        f"{label} trains like the original: {points} losses compared, largest error "
        f"{error_text(worst)}{note}",
        "green",
    )
