"""Shuffle buffers: report large ones, which delay the first batch too long."""

from __future__ import annotations

from ascendify.rules.kit import CallSite, Diagnoses, Rule, Status
from ascendify.rules.kit.tests import outside_tests
from ascendify.rules.tensorflow import datasets

RULE = Rule(
    code="TF1-DATA-10",
    title="Keep shuffle buffers small enough to fill in time",
    why=(
        "The first batch comes only when the shuffle buffer is full. When that takes too long the "
        "device gives up waiting for data, with error E30008."
    ),
    statuses=(Status.INFO,),
    before="dataset = dataset.shuffle(1000000).repeat()",
)

LARGE_BUFFER = 50_000
"""Samples. The platform states no number; images of 100 kB in such a buffer take 5 GB."""


@RULE.call("tf.data.Dataset.shuffle", "tf.data.experimental.shuffle_and_repeat")
@outside_tests
def report_large_buffer(site: CallSite) -> Diagnoses:
    """A buffer that takes long to fill."""
    size = site.args.value("buffer_size")
    values = None if size is None else site.file.literal(size)
    if size is None or not values:
        return
    numbers = [value for value in values if isinstance(value, int) and value >= LARGE_BUFFER]
    if numbers:
        yield RULE.info(
            site,
            f"{datasets.spelled(site.file, site.node)} fills a buffer of {max(numbers)} samples "
            "before the first batch",
            todo=(
                "If training stops with E30008, make the buffer smaller, shuffle file names "
                "instead of samples, or shuffle the records when they are written."
            ),
        )
