"""Datasets of training on several devices: each rank reads its part, of its part of the batch."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, Diagnosis, File, Fix, MethodSite, Rule, Status
from ascendify.rules.kit.ranks import rank, tells_ranks
from ascendify.rules.kit.tests import outside_tests
from ascendify.rules.tensorflow import host
from ascendify.rules.tensorflow.datasets import dataset_name
from ascendify.rules.tensorflow.purposes import Purpose, is_endless, purpose
from ascendify.rules.tf2 import _data, _order, _ranks, _shards, _switch
from ascendify.rules.tf2._order import Order
from ascendify.rules.tf2._shards import ShardPlace
from ascendify.source.flow import backward
from ascendify.source.nodes import is_literal, last_name, values_given
from ascendify.source.scopes import Binding

RULE = Rule(
    code="TF2-DIST-6",
    title="Give each device its part of the data and of the batch",
    why=(
        "One process trains on each device. Without a division every one of them reads all "
        "samples in batches of full size: N devices do the work of one N times."
    ),
    statuses=(Status.AUTO, Status.AUTO_CHECK, Status.MANUAL),
    before=(
        "dataset = tf.data.TFRecordDataset(train_files)\n"
        "dataset = dataset.shuffle(1000).repeat().batch(batch_size)"
    ),
    after=(
        "dataset = tf.data.TFRecordDataset(train_files)\n"
        "dataset, npu_batch_size = npu_device.distribute.shard_and_rebatch_dataset("
        "dataset, batch_size)\n"
        "dataset = dataset.shuffle(1000).repeat().batch(npu_batch_size)"
    ),
    safety=(
        "The batch size stays that of all devices together, and so do the steps of an epoch and "
        "the learning rate. It must be a multiple of the number of devices. With one rank nothing "
        "is divided."
    ),
)

_BATCHES = ("tf2.data.Dataset.batch", "tf2.data.Dataset.padded_batch")
_WHOLE = (
    "tf2.data.experimental.make_batched_features_dataset",
    "tf2.data.experimental.make_csv_dataset",
    "tf2.keras.preprocessing.image_dataset_from_directory",
    "tf2.keras.utils.image_dataset_from_directory",
    "tf2.keras.preprocessing.text_dataset_from_directory",
    "tf2.keras.utils.text_dataset_from_directory",
)
"""Functions that read and batch in one."""
_TRAINING = (
    "fit", "experimental_distribute_dataset", "distribute_datasets_from_function",
    "experimental_distribute_datasets_from_function", "apply_gradients",
)  # fmt: skip
"""Calls of files that train."""
_ARRAYS = frozenset(
    {
        "astype", "reshape", "copy", "transpose", "squeeze",
        "rand", "randn", "normal", "uniform", "randint", "random", "integers", "standard_normal",
    }
)  # fmt: skip
"""Methods of arrays, and of numpy's generators of random numbers, that give arrays."""
_RANKS = "int(os.getenv('RANK_SIZE', '1'))"
_PART = f"[int(os.getenv('RANK_ID', '0'))::{_RANKS}]"
_PARTS = {
    "flow": f"every rank's part of the arrays, {_PART} of x and of y",
    "flow_from_directory": (
        "a folder of every rank's own part of the files, or train on "
        "tf.keras.utils.image_dataset_from_directory, which is divided"
    ),
    "flow_from_dataframe": f"every rank's part of the rows, dataframe.iloc{_PART}",
}
"""Generator of images -> the part of its data for one rank."""
_FUNCTION = "shard_and_rebatch_dataset"


@RULE.call(*_BATCHES)
@outside_tests
def divide(site: CallSite) -> Diagnoses:
    """``dataset.batch(n)`` of a training pipeline: divide the dataset at its source, and n."""
    file, node = site.file, site.node
    if not _ranks.is_strategy_run(file) or host.runs_on_host(file, node):
        return
    if _shards.is_sharded(file, node) or _shards.is_batched_before(node):
        return
    serves = purpose(file, node)
    if serves is Purpose.EVAL:
        return
    size = site.args.value("batch_size")
    if size is not None and file.literal(size) == (1,):
        return  # samples are looked at one by one, not trained on
    found = f"{last_name(node.func)}() makes batches of all samples on every device"
    division = None
    if size is not None and not site.args.starred and not _shards.is_joined(node, file):
        division = _division(site, size, serves)
    if division is None:
        yield _by_hand(site, found, serves)
        return
    fix, note = division
    todo = "" if is_endless(file, node) else _same_steps(site)
    todo = f"{note} {todo}".strip()
    if serves is Purpose.UNKNOWN:
        todo = f"If it does not serve training, take the division out again. {todo}".rstrip()
    done = "Divided the samples and the batch among the ranks, right behind the source."
    if serves is Purpose.BOTH:
        done = f"{done[:-1]}, for training only."
    yield RULE.fixed(site, found, done=done, todo=todo, fix=fix)


def _division(site: CallSite, size: ast.expr, serves: Purpose) -> tuple[Fix, str] | None:
    """The fix that divides a pipeline, with what to know about it; None where nothing is certain.

    Where a function makes the data of training and of evaluation, its switch decides.
    """
    file, node = site.file, site.node
    switch = _data.training_switch(file, node) if serves is Purpose.BOTH else ""
    function = None
    if switch is None:
        function = _switch.lacking(file, node)
        switch = None if function is None else _switch.NAME
    certain = serves is not Purpose.UNKNOWN or _trains(file)
    at = _shards.place(file, node, size)
    if at is None or switch is None or not certain:
        return None
    order = _order.of(file, node, at.origin)
    if order is None:
        return None
    fix = _fix(site, at, size, order, switch)
    if function is not None:
        fix.add_parameter(function, f"{switch}=False")
    return fix, order.note


@RULE.file
def tell_training(file: File) -> Diagnoses:
    """Calls of functions that make data for training and evaluation: say which it is."""
    if not _ranks.is_strategy_run(file):
        return
    for call, function in _switch.untold(file):
        fix = file.fix()
        fix.add_argument(call, f"{_switch.NAME}=True")
        yield RULE.auto(
            file.at(call),
            f"{file.brief(call.func)} makes data for training here, and for evaluation elsewhere",
            done=f"Told {function.name} to divide it: {_switch.NAME}=True.",
            fix=fix,
        )


def _trains(file: File) -> bool:
    """Whether a file trains a model, so that its pipelines serve training."""
    return any(name in file.module.index.calls_by_name for name in _TRAINING)


def _fix(site: CallSite, at: ShardPlace, size: ast.expr, order: Order, switch: str) -> Fix:
    file, fix = site.file, site.fix()
    function = _ranks.function(fix, _FUNCTION)
    share = fix.fresh("npu_batch_size")
    text = file.text(size)
    name = at.name or fix.fresh("npu_dataset")
    given = name if at.source is None else file.text(at.source)
    if at.source is not None and order.is_within(file, at.source):
        given = order.within(file, at.source)
    else:
        fix.edits.extend(order.edits)
    lines = f"{name}, {share} = {function}({given}, {text})"
    if switch:
        kept = f"{share} = {text}" if given == name else f"{name}, {share} = {given}, {text}"
        lines = (
            f"{kept}\nif {switch}:\n{fix.indent_unit}{name}, {share} = {function}({name}, {text})"
        )
    if at.source is not None:
        fix.insert_before(at.statement, lines)
        fix.replace(at.source, name)
    elif at.before:
        fix.insert_before(at.statement, lines)
    else:
        fix.insert_after(at.statement, lines)
    fix.replace(size, share)
    return fix


def _same_steps(site: CallSite) -> str:
    if _shards.drops_remainder(site.file, site.node):
        return (
            "All ranks must make the same number of steps: check that the number of samples is a "
            "multiple of the number of devices, or count the steps."
        )
    return (
        "All ranks must make the same number of steps, with batches of one size: pass "
        "drop_remainder=True, and check that the number of samples is a multiple of the number "
        "of devices, or count the steps."
    )


def _by_hand(site: CallSite, found: str, serves: Purpose) -> Diagnosis:
    name = dataset_name(site.file, site.node)
    size = site.args.value("batch_size")
    batch = "batch_size" if size is None else site.file.brief(size, 40)
    recipe = (
        f"{name}, local_batch = npu_device.distribute.{_FUNCTION}({name}, {batch}) right behind "
        "the source, before shuffle, repeat and batch, and batch by local_batch"
    )
    if serves is Purpose.BOTH:
        recipe += ", for training only"
    if _shards.is_joined(site.node, site.file):
        recipe += ", on each of the joined datasets alike"
    return RULE.manual(site, found, todo=f"Divide the dataset: {recipe}.")


@RULE.method("batch", "padded_batch", where=lambda node: isinstance(node.ctx, ast.Load))
def divide_catalogue(site: MethodSite) -> Diagnoses:
    """Divide data of tensorflow_datasets, whose signatures are unknown."""
    call = site.call
    if site.known is not None or call is None:
        return
    if _data.is_of_catalogue(site.file, site.node.value):
        yield from divide(CallSite(site.file, call, f"tf2.data.Dataset.{site.name}"))


@RULE.guess("batch", "padded_batch")
@outside_tests
def report_possible(site: CallSite) -> Diagnoses:
    """``x.batch(n)`` where ``x`` may be a dataset, of tensorflow_datasets for example."""
    file = site.file
    if not _ranks.is_strategy_run(file) or _shards.is_sharded(file, site.node):
        return
    if host.runs_on_host(file, site.node) or _data.is_of_catalogue(file, site.node):
        return
    if _shards.is_batched_before(site.node) or purpose(file, site.node) is Purpose.EVAL:
        return
    yield _by_hand(
        site, f"{file.brief(site.node.func)} may make batches of all samples", Purpose.TRAIN
    )


@RULE.call(*_WHOLE)
@outside_tests
def report_whole_pipelines(site: CallSite) -> Diagnoses:
    """Functions that read, shuffle and batch in one: batches are divided instead of samples."""
    file = site.file
    if not _ranks.is_strategy_run(file) or _shards.is_sharded(file, site.node):
        return
    if purpose(file, site.node) is Purpose.EVAL:
        return
    size = site.args.value("batch_size")
    if is_literal(size, None) or _data.is_batched_again(file, site.node):
        return  # code that batches it again is divided there
    batch = "32" if size is None else file.brief(size, 40)
    fix = site.fix()
    fix.provisional = True  # another rule may batch it again
    yield RULE.manual(
        site,
        f"{site.callee} makes batches of all samples on every device",
        todo=(
            f"Give it {batch} // {_RANKS} as the batch size, and a seed that is the same on all "
            "ranks, and take every rank's own batches: "
            f".shard({_RANKS}, int(os.getenv('RANK_ID', '0')))."
        ),
        fix=fix,
    )


@RULE.call("tensorflow_datasets.load")
@outside_tests
def report_loaded_batches(site: CallSite) -> Diagnoses:
    """``tfds.load(..., batch_size=n)``: each rank loads its part of the split."""
    file, size = site.file, _data.loaded_batch(site)
    if size is None or not _ranks.is_strategy_run(file) or _shards.is_sharded(file, site.node):
        return
    fix = site.fix()
    fix.provisional = True  # another rule may batch it again
    yield RULE.manual(
        site,
        f"{site.callee} makes batches of all samples on every device",
        fix=fix,
        todo=(
            "Load it without batch_size, and divide the training data: dataset, npu_batch_size = "
            f"npu_device.distribute.{_FUNCTION}(dataset, {file.brief(size, 40)}), then "
            "dataset.batch(npu_batch_size, drop_remainder=True)."
        ),
    )


@RULE.call(*_data.FLOWS)
@outside_tests
def report_generators(site: CallSite) -> Diagnoses:
    """``ImageDataGenerator.flow*``: an iterator in Python, which cannot be divided."""
    file = site.file
    if not _ranks.is_strategy_run(file) or purpose(file, site.node) is Purpose.EVAL:
        return
    if any(tells_ranks(file, item) for item in values_given(site.node)):
        return
    size = site.args.value("batch_size")
    batch = "32" if size is None else file.brief(size, 40)
    yield RULE.manual(
        site,
        f"{site.callee} makes batches of all samples on every device",
        todo=(
            f"Give it batch_size={batch} // {_RANKS} and {_PARTS[site.name.rpartition('.')[2]]}."
        ),
    )


@RULE.call("tf2.keras.Model.fit")
@outside_tests
def divide_arrays(site: CallSite) -> Diagnoses:
    """``model.fit(x, y, batch_size=n)``: arrays, of which every rank takes its part."""
    file = site.file
    x, y, size = (site.args.get(name) for name in ("x", "y", "batch_size"))
    if not _ranks.is_strategy_run(file) or x is None or site.args.starred:
        return
    if y is not None and file.literal(y.value) == (None,):
        y = None
    if y is None and size is None:
        return  # a dataset or a generator, of which Keras takes no batch size
    given = [item for item in (x, y) if item is not None]
    if any(_is_divided(file, item.value) for item in given):
        return
    found = f"{site.callee} trains on all samples on every device"
    others = [name for name in ("sample_weight", "validation_split") if name in site.args]
    plain = y is not None and all(_is_array(file, item.value) for item in given)
    fix = site.fix()
    ranks, own = _ranks.size(fix), rank(fix)
    batch = "32" if size is None else file.brief(size.value, 40)
    if others or not plain:
        arrays = " and ".join(file.brief(item.value, 30) for item in given)
        yield RULE.manual(
            site,
            found,
            todo=(
                f"Give each rank its part of the samples, [{own}::{ranks}] of every array in "
                f"{arrays}, and of the batch, batch_size={batch} // {ranks}."
            ),
        )
        return
    for item in given:
        bare = isinstance(item.value, ast.BinOp)
        fix.wrap(item.value, "(" * bare, f"{')' * bare}[{own}::{ranks}]")
    if size is None:
        fix.add_argument(site.node, f"batch_size=32 // {ranks}")
    else:
        fix.replace(size.value, f"{fix.operand(size.value)} // {ranks}")
    yield RULE.auto_check(
        site,
        found,
        done="Took every rank's part of the arrays and of the batch.",
        todo=(
            "All ranks must make the same number of steps, with batches of one size: check that "
            "the number of samples is a multiple of the batch size."
        ),
        fix=fix,
    )


def _is_divided(file: File, node: ast.expr) -> bool:
    """Whether an array depends on the rank already."""
    return tells_ranks(file, node)


def _is_array(file: File, node: ast.expr, depth: int = 4) -> bool:
    """Whether an expression surely is one array, which can be sliced: numpy's, or Keras' data."""
    if depth == 0:
        return False
    if isinstance(node, ast.Call):
        name = file.name(node.func) or ""
        if name.startswith("numpy."):
            return True
        method = isinstance(node.func, ast.Attribute) and node.func.attr in _ARRAYS
        return method and _is_array(file, node.func.value, depth - 1)  # type: ignore[attr-defined]  # an attribute has a value
    if isinstance(node, ast.BinOp):
        return _is_array(file, node.left, depth - 1) or _is_array(file, node.right, depth - 1)
    if isinstance(node, ast.Subscript):
        return _is_array(file, node.value, depth - 1)
    if not isinstance(node, ast.Name):
        return False
    bindings = backward.definitions(node)
    return bool(bindings) and all(_gives_array(file, item, depth) for item in bindings)


def _gives_array(file: File, binding: Binding, depth: int) -> bool:
    call, path = backward.unpacked(binding)
    if call is None:
        return False
    if not path:
        return _is_array(file, call, depth - 1)
    name = (file.name(call.func) or "") if isinstance(call, ast.Call) else ""
    return name.startswith("tf2.keras.datasets.") and name.endswith(".load_data")
