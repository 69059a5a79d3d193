"""Queues and readers: report them, with the part of a tf.data pipeline that replaces each."""

from __future__ import annotations

from ascendify.rules.kit import CallSite, Diagnoses, Effort, Rule, Status
from ascendify.rules.kit.tests import outside_tests

RULE = Rule(
    code="TF1-DATA-5",
    title="Read input with tf.data instead of queues",
    why=(
        "Queue runners feed the graph from threads of their own, which the NPU does not support: "
        "input comes from tf.data or is fed."
    ),
    statuses=(Status.MANUAL, Status.AUTO_CHECK, Status.INFO),
    before="images, labels = tf.train.batch([image, label], batch_size, num_threads=4)",
    after="images, labels = tf.train.batch([image, label], batch_size, num_threads=1)",
    safety="One thread fills the batches instead of several, so reading may be slower.",
)

_LOOP = "then create the iterator, run its initializer after that of the variables, and drop "
_RECIPES = {
    "tf.train.string_input_producer": (
        "tf.data.TFRecordDataset({first}) (or TextLineDataset) with .shuffle and .repeat"
    ),
    **dict.fromkeys(
        ("tf.train.slice_input_producer", "tf.train.input_producer"),
        "tf.data.Dataset.from_tensor_slices({first}) with .shuffle and .repeat",
    ),
    "tf.train.range_input_producer": "tf.data.Dataset.range({first}) with .shuffle and .repeat",
    "tf.train.limit_epochs": ".repeat(num_epochs) of the dataset",
    "tf.train.shuffle_batch": ".shuffle(buffer_size).batch({batch}, drop_remainder=True)",
    "tf.train.batch_join": ".interleave(...) and .batch({batch}, drop_remainder=True)",
    "tf.train.shuffle_batch_join": (
        ".interleave, .shuffle and .batch({batch}, drop_remainder=True)"
    ),
    "tf.train.maybe_batch": ".filter(...) and .batch({batch}, drop_remainder=True)",
    "tf.train.maybe_shuffle_batch": ".filter, .shuffle, .batch({batch}, drop_remainder=True)",
    "tf.train.maybe_batch_join": ".filter(...) and .batch({batch}, drop_remainder=True)",
    "tf.train.maybe_shuffle_batch_join": ".filter, .shuffle, .batch({batch}, drop_remainder=True)",
    "tf.TFRecordReader": "tf.data.TFRecordDataset(files).map(parse)",
    "tf.TextLineReader": "tf.data.TextLineDataset(files).map(parse)",
    "tf.FixedLengthRecordReader": "tf.data.FixedLengthRecordDataset(files, {first}).map(parse)",
    "tf.WholeFileReader": "tf.data.Dataset.from_tensor_slices(files).map(tf.read_file)",
    "tf.IdentityReader": "tf.data.Dataset.from_tensor_slices(...)",
    "tf.LMDBReader": "tf.data.Dataset.from_generator over the database",
    "tf.FIFOQueue": "a tf.data.Dataset with .prefetch",
    "tf.RandomShuffleQueue": "a tf.data.Dataset with .shuffle",
    "tf.PaddingFIFOQueue": "a tf.data.Dataset with .padded_batch of fixed shapes",
    "tf.PriorityQueue": "a tf.data.Dataset that yields samples in the wanted order",
    "tf.train.QueueRunner": "a tf.data.Dataset with .prefetch",
    "tf.contrib.slim.dataset_data_provider.DatasetDataProvider": (
        "tf.data.TFRecordDataset over {first}.data_sources, with .map of its decoder"
    ),
    "tf.contrib.slim.parallel_reader.parallel_read": (
        "tf.data.Dataset.list_files(...).interleave(tf.data.TFRecordDataset)"
    ),
    "tf.contrib.slim.prefetch_queue.prefetch_queue": ".prefetch of the dataset",
    "tf.contrib.training.bucket_by_sequence_length": ".padded_batch with fixed shapes",
    "tf.contrib.training.bucket": ".padded_batch with fixed shapes",
    "tf.contrib.training.stratified_sample": "tf.data.experimental.rejection_resample",
    "tf.contrib.training.batch_sequences_with_states": "a tf.data.Dataset of fixed-length parts",
    "tf.contrib.learn.read_batch_examples": "tf.data.TFRecordDataset(...).batch",
    **dict.fromkeys(
        ("tf.contrib.learn.read_batch_features", "tf.contrib.learn.read_batch_record_features"),
        "tf.data.experimental.make_batched_features_dataset",
    ),
}
"""Functions that read through queues -> the part of a tf.data pipeline that replaces each."""


@RULE.call(*_RECIPES)
@outside_tests
def report_queue(site: CallSite) -> Diagnoses:
    """A queue or reader."""
    first = next((item.value for item in site.args), None)
    batch = site.args.value("batch_size")
    recipe = _RECIPES[site.name].format(
        first="..." if first is None else site.file.brief(first, 40),
        batch="batch_size" if batch is None else site.file.brief(batch, 40),
    )
    yield RULE.manual(
        site,
        f"{site.callee} reads through a queue",
        todo=(
            f"Use {recipe}; {_LOOP}tf.train.start_queue_runners and the Coordinator. With "
            "slim.learning.train, write the session loop out."
        ),
        effort=Effort.HOURS,
        cause=site.path,
    )


@RULE.call("tf.train.start_queue_runners", "tf.train.Coordinator")
@outside_tests
def report_queue_threads(site: CallSite) -> Diagnoses:
    """Threads that fill queues; a Coordinator may also manage other threads."""
    file = site.file
    if site.name.endswith("Coordinator") and "queue" not in file.module.source.text.lower():
        return
    yield RULE.manual(
        site,
        f"{site.callee} runs threads that fill queues",
        todo="Remove it together with the queues once the input comes from tf.data.",
        cause=site.path,
    )


@RULE.call("tf.train.batch")
@outside_tests
def use_one_thread(site: CallSite) -> Diagnoses:
    """Give ``tf.train.batch`` one thread, the only number that an NPU supports."""
    file = site.file
    threads = site.args.get("num_threads")
    found = f"{site.callee} batches through a queue"
    batch = site.args.value("batch_size")
    size = "batch_size" if batch is None else file.brief(batch, 40)
    todo = f"Prefer a dataset: .batch({size}, drop_remainder=True)." + _open_batches(site)
    one = threads is None or file.literal(threads.value) == (1,)
    if one and not (threads is None and site.args.starred):
        yield RULE.info(site, f"{found}, which an NPU supports with one thread", todo=todo)
        return
    if threads is None:
        yield RULE.manual(
            site,
            f"{found}, perhaps with several threads from * or ** arguments",
            todo=f"Make sure that num_threads is 1. {todo}",
        )
        return
    fix = site.fix()
    fix.replace(threads.value, "1")
    yield RULE.auto_check(
        site,
        f"{found} with several threads",
        done=f"Set num_threads to 1; it was {file.brief(threads.value)}.",
        todo=todo,
        fix=fix,
    )


def _open_batches(site: CallSite) -> str:
    """Advice on options of ``tf.train.batch`` that make shapes differ from step to step."""
    text = ""
    for option in ("allow_smaller_final_batch", "dynamic_pad"):
        value = site.args.value(option)
        if value is not None and site.file.literal(value) != (False,):
            text += f" {option} makes shapes differ from step to step: set it to False."
    return text
