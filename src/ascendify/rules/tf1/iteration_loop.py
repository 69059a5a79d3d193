"""Iterations on the device: suggest a number that divides all step counts."""

from __future__ import annotations

import math

from ascendify.rules.kit import CallSite, Diagnoses, Diagnosis, File, Rule, Status, once
from ascendify.rules.tf1 import _estimator

RULE = Rule(
    code="TF1-LOOP-1",
    title="Run several training iterations on the device at a time",
    why=(
        "Every iteration costs a round trip between host and device. NPURunConfig can run many on "
        "the device in one go; step counts must be multiples of that number."
    ),
    statuses=(Status.INFO, Status.MANUAL),
    before=(
        "config = NPURunConfig(save_checkpoints_steps=1000)\n"
        "estimator = NPUEstimator(model_fn=model_fn, config=config)\n"
        "estimator.train(input_fn)"
    ),
)

_LONGEST = 100
"""No longer loop is suggested: hooks, logs and checkpoints see only its last iteration."""
_STEPS = {
    "tf.estimator.Estimator.train": ("steps", "max_steps"),
    "npu.NPUEstimator.train": ("steps", "max_steps"),
    "tf.estimator.TrainSpec": ("max_steps",),
}
_CONDITIONS = (
    "Worth trying when the input is a tf.data pipeline with an initialisable iterator and nothing "
    "on the host is needed in every step (hooks and summaries see only the last iteration)."
)


@RULE.call(_estimator.RUN_CONFIG)
def suggest(site: CallSite) -> Diagnoses:
    """Suggest a loop length for a run config that is replaced by an NPURunConfig."""
    if once.is_first(site) and _estimator.is_trained(site.file, site.node):
        plan = _estimator.plan_config(site.file, site.node)
        if plan.native and plan.reached:
            yield _suggestion(site)


@RULE.call("npu.NPURunConfig")
def check(site: CallSite) -> Diagnoses:
    """Check the loop length that is set, or suggest one."""
    file = site.file
    given = site.args.value("iterations_per_loop")
    if given is None:
        mixed = site.args.value("mix_compile_mode")
        if mixed is None and once.is_first(site) and _estimator.is_trained(file, site.node):
            yield _suggestion(site)
        return
    literal = file.literal(given)
    length = literal[0] if literal is not None and len(literal) == 1 else None
    if not isinstance(length, int) or length < 2:
        return
    for what, steps in _known_steps(file, site):
        if steps % length:
            yield RULE.manual(
                site,
                f"{what}={steps} is not a multiple of iterations_per_loop={length}",
                todo=f"Choose {_divisor(steps)} iterations a loop, or {what}="
                f"{max(1, round(steps / length)) * length}.",
            )


def _suggestion(site: CallSite) -> Diagnosis:
    known = _known_steps(site.file, site)
    common = math.gcd(*(steps for _, steps in known)) if known else 0
    listed = " and ".join(f"{what}={steps}" for what, steps in known)
    if not known:
        todo = "NPURunConfig(iterations_per_loop=n), where n divides every step count you set."
    elif common == 1:
        todo = f"Nothing but 1 divides {listed}; round them to multiples of 100 first."
    else:
        todo = f"NPURunConfig(iterations_per_loop={_divisor(common)}) fits: it divides {listed}."
    return RULE.info(
        site,
        "training can run several iterations on the device at a time",
        todo=f"{todo} {_CONDITIONS}",
    )


def _known_steps(file: File, config: CallSite) -> list[tuple[str, int]]:
    """Numbers of steps that are literals in the run config and in the file."""
    found: dict[tuple[str, int], None] = {}
    sites: list[tuple[CallSite, tuple[str, ...]]] = [(config, ("save_checkpoints_steps",))]
    sites += [(call, _STEPS[call.name]) for call in file.calls(*_STEPS)]
    for site, names in sites:
        for name in names:
            given = site.args.value(name)
            for value in (file.literal(given) or ()) if given is not None else ():
                if isinstance(value, int) and not isinstance(value, bool) and value > 0:
                    found[name, value] = None
    return list(found)


def _divisor(steps: int) -> int:
    """The largest divisor that is not above the longest loop."""
    return next(n for n in range(min(_LONGEST, steps), 0, -1) if steps % n == 0)
