"""Several devices against the one process of the original: what each device has of its own.

Devices that divide a batch draw other random numbers for it, normalise by the statistics of their
parts, and average gradients where the loss may be a sum over the batch. Their numbers then differ
from those of one process although the migration is right. Control runs tell this from a mistake:
both sides without what depends on the rest of the batch, and devices that add up what they average.
"""

from __future__ import annotations

import math
import re
from dataclasses import replace

from ascendify.verify.captured import Capture
from ascendify.verify.judge import Evidence, judge_alone
from ascendify.verify.project_files import files_of, is_python
from ascendify.verify.request import VerifyRequest
from ascendify.verify.series import Divergence
from ascendify.verify.sides import Side

_INDEPENDENT = "compared without {own}; with these, losses differ by up to {largest:.1e}"
OWN = (
    "the shuffling, random numbers, dropout and statistics of batch normalization that each device "
    "has of its own"
)
"""What control runs do without."""
CONTROL_FAILED = f"a training without {OWN} failed ({{how}}), so it explains nothing"
SUMMED = (
    "the loss is a sum over the batch, and gradients are averaged over {ranks} devices: updates are"
    " 1/{ranks} of the original's, and where gradients are added up instead, all numbers agree; "
    "multiply the loss by {ranks}, or divide the original's by its batch"
)
METRICS = (
    "not compared, because a device computes them of its own samples, and evaluates with its part "
    "of the batch: {names}"
)
_NAMED = 5
"""How many metrics are named."""
_TENSORFLOW = re.compile(rb"\b(?:tensorflow|keras)\b")
_FRAMEWORKS = re.compile(rb"\b(?:tensorflow|keras|torch)\b")
"""Control runs change these."""
_DEPENDS = re.compile(
    rb"dropout|shuffle|random|input_fn|moments\b|batch_?norm|conv_?bn|\bbn\b", re.IGNORECASE
)
"""Spellings of what makes samples depend on draws, or on each other."""


def may_differ(request: VerifyRequest, original: Side, migrated: Side, evidence: Evidence) -> bool:
    """Whether numbers differ, and that is all that speaks against several devices."""
    one_process = len({one.rank for one in original.captures if one.series}) == 1
    if request.devices == 1 or not one_process or not evidence.numbers_differ:
        return False
    alone = judge_alone(migrated, None, Evidence())
    return not alone.reasons and _some_file(request, _FRAMEWORKS)


def depends_on_batch(request: VerifyRequest) -> bool:
    """Whether some file of the project shuffles, draws, drops or normalises a batch."""
    return _some_file(request, _DEPENDS)


def is_tensorflow(request: VerifyRequest) -> bool:
    """Whether the project trains with TensorFlow, whose first weights can be moved."""
    return _some_file(request, _TENSORFLOW)


def _some_file(request: VerifyRequest, spelling: re.Pattern[bytes]) -> bool:
    files = files_of(request.original, is_python)
    return any(spelling.search(path.read_bytes()) for path in files)


def is_summed(evidence: Evidence, devices: int) -> bool:
    """Whether each device may begin with its part of the loss: a sum over the batch is no mean.

    The parts differ as the samples do, so a loss counts that is nearer to a part than to the whole;
    whether it is one is for a run with gradients added up to show.
    """
    firsts = [one.first_divergence for one in evidence.comparisons if one.original.is_loss]
    return any(first is not None and _is_part(first, devices) for first in firsts)


def _is_part(first: Divergence, devices: int) -> bool:
    if first.original == 0:
        return False
    share = first.migrated / first.original
    return 1 / devices < share * math.sqrt(devices) < 1


def metrics_apart(evidence: Evidence) -> str:
    """Name the numbers that differ where every loss agrees; empty where one differs, or none."""
    losses = [one.agrees for one in evidence.comparisons if one.original.is_loss]
    names = [one.name for one in evidence.comparisons if not one.agrees]
    if not losses or not all(losses) or not names:
        return ""
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more


def losses_only(side: Side, *, add: bool = False) -> Side:
    """The side with its losses alone; those of several ranks are added up if wanted."""
    return replace(side, captures=tuple(_losses(one, add) for one in side.captures))


def _losses(capture: Capture, add: bool) -> Capture:
    losses = (replace(one, is_summed=add) for one in capture.series if one.is_loss)
    return replace(capture, series=tuple(losses))


def describe(evidence: Evidence) -> str:
    """Say that numbers agree in control runs only.

    Args:
        evidence: The comparison of both sides as they are.
    """
    errors = [one.largest_error for one in evidence.comparisons if one.original.is_loss]
    return _INDEPENDENT.format(own=OWN, largest=max(errors, default=0.0))
