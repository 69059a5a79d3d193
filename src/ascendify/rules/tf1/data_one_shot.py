"""Iterators: report one-shot iterators, which cannot run several steps at once."""

from __future__ import annotations

from ascendify.rules.kit import CallSite, Diagnoses, Effort, Rule, Status
from ascendify.rules.kit.tests import outside_tests
from ascendify.rules.tensorflow import datasets
from ascendify.rules.tf1 import _npu

RULE = Rule(
    code="TF1-DATA-7",
    title="Use initialisable iterators when several steps run at once",
    why=(
        "With iterations_per_loop above 1 the device takes its data by itself, which works with "
        "make_initializable_iterator only."
    ),
    statuses=(Status.INFO, Status.MANUAL),
    before="batch = dataset.make_one_shot_iterator().get_next()",
)


@RULE.call("tf.data.Dataset.make_one_shot_iterator", "tf.data.make_one_shot_iterator")
@outside_tests
def report_one_shot(site: CallSite) -> Diagnoses:
    """A one-shot iterator."""
    several = _npu.iterations_per_loop(site.file) > 1
    name = datasets.dataset_name(site.file, site.node)
    call = f"tf.data.make_initializable_iterator({name})"
    yield RULE.finding(
        Status.MANUAL if several else Status.INFO,
        site,
        f"{datasets.spelled(site.file, site.node)} makes an iterator that cannot supply several "
        "steps per run",
        todo=(
            f"{'Use' if several else 'Before you set iterations_per_loop above 1, use'} "
            f"iterator = {call}, and run iterator.initializer in a sess.run of its own after the "
            "variables are initialised (in an input_fn, return the dataset itself)."
        ),
        effort=Effort.MINUTES if several else Effort.NONE,
    )
