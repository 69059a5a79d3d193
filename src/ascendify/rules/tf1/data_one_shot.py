"""Iterators: several steps per run need one that is initialised."""

from __future__ import annotations

from ascendify.rules.kit import CallSite, Diagnoses, Effort, Rule, Status
from ascendify.rules.kit.tests import outside_tests
from ascendify.rules.tf1 import _datasets

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
def tell_one_shot(site: CallSite) -> Diagnoses:
    """Tell about one-shot iterators."""
    asked = str(site.file.facts.npu_options.get("iterations_per_loop", 1)) not in ("", "1")
    name = _datasets.dataset_name(site.file, site.node)
    call = f"tf.data.make_initializable_iterator({name})"
    yield RULE.finding(
        Status.MANUAL if asked else Status.INFO,
        site,
        f"{_datasets.spelled(site.file, site.node)} makes an iterator that cannot serve several "
        "steps per run",
        todo=(
            f"{'Use' if asked else 'Before you set iterations_per_loop above 1, use'} "
            f"iterator = {call}, and run iterator.initializer in a sess.run of its own after the "
            "variables are initialised (in an input_fn, return the dataset itself)."
        ),
        effort=Effort.MINUTES if asked else Effort.NONE,
    )
