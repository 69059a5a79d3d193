"""Distributed training: make every device read its own part of the data."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, Diagnosis, Fix, Rule, Status
from ascendify.rules.kit.ranks import tells_ranks
from ascendify.rules.kit.tests import outside_tests
from ascendify.rules.tensorflow import datasets, host
from ascendify.rules.tensorflow.purposes import Purpose, purpose
from ascendify.rules.tf1 import _npu, _same_order, _sharding
from ascendify.source.nodes import position

RULE = Rule(
    code="TF1-DATA-2",
    title="Give each device its own part of the training data",
    why=(
        "One process trains on each device. Without a shard every one of them reads all samples, "
        "and an epoch on N devices is N epochs."
    ),
    statuses=(Status.AUTO_CHECK, Status.MANUAL),
    before="dataset = tf.data.TFRecordDataset(train_files)",
    after=(
        "dataset = tf.data.TFRecordDataset(train_files).shard(\n"
        "    int(os.getenv('RANK_SIZE', '1')), int(os.getenv('RANK_ID', '0')))"
    ),
    safety=(
        "Each process sees 1/N of the samples, so an epoch has 1/N of the steps. The launcher sets "
        "RANK_SIZE and RANK_ID; Horovod projects get both numbers from HCCL."
    ),
)

_LIST = "tf.data.Dataset.list_files"
_SOURCES = (
    "tf.contrib.data.CsvDataset",
    *(f"tf.data.{name}" for name in (
        "TFRecordDataset", "TextLineDataset", "FixedLengthRecordDataset", "experimental.CsvDataset",
    )),
    *(f"tf.data.Dataset.{name}" for name in (
        "list_files", "from_tensor_slices", "from_generator", "range",
    )),
)  # fmt: skip
_ARRAYS = ("tf.estimator.inputs.numpy_input_fn", "tf.estimator.inputs.pandas_input_fn")
_FILES = "tf.train.string_input_producer"
_QUEUES = {_FILES: "string_tensor", "tf.train.slice_input_producer": "tensor_list"}
"""Queues of samples, and the parameter that has what is read."""
_PARAMETER = "npu_train"
_WHOLE = tuple(
    f"{module}.{name}"
    for module in ("tf.data.experimental", "tf.contrib.data")
    for name in ("make_batched_features_dataset", "make_csv_dataset")
)


@RULE.call(*_SOURCES)
@outside_tests
def shard_source(site: CallSite) -> Diagnoses:
    """Shard the source of a training pipeline, before anything shuffles or batches it."""
    if site.file.facts.distributed == "none" or not _is_source(site) or _sharding.is_sharded(site):
        return
    used_for = purpose(site.file, site.node)
    if used_for is Purpose.EVAL:
        return
    found = f"{datasets.spelled(site.file, site.node)} reads all samples on every device"
    fix = _fix(site, used_for)
    pair = _sharding.zipped(site) if used_for is Purpose.TRAIN else None
    if fix is None and pair is not None and not _sharding.is_mixed_before(site):
        yield from _shard_zipped(site, found, pair)
        return
    if fix is None:
        taken = _sharding.taken_for_training(site)
        trained = _sharding.called_for_training(site) if used_for is Purpose.BOTH else []
        if taken:
            yield from _shard_results(site, found, taken)
        elif trained and not _is_list_shuffled(site):
            yield _shard_by_parameter(site, found, trained)
        else:
            yield _by_hand(site, found, used_for)
        return
    done = "Inserted .shard() with the number of devices and the rank of this one"
    if _is_list_shuffled(site):
        done += " and made the order of the files the same everywhere"
    yield RULE.auto_check(site, found, done=f"{done}.", todo=_consequences(site), fix=fix)


def _shard_results(site: CallSite, found: str, taken: list[ast.Call]) -> Diagnoses:
    """Shard the result of a function whose callers use it for training."""
    file = site.file
    function = _sharding.outermost(site)
    first = next(
        (call for call in file.calls(*_SOURCES) if _sharding.outermost(call) is function), site
    )
    if first.node is not site.node:
        return  # the function has several sources, which it joins: one finding for it
    fix = _begun(site)
    shard = f".shard({_npu.rank_size(file, fix)}, {_npu.rank_id(file, fix)})"
    for call in taken:
        end = file.module.end(call)
        fix.replace_range(end, end, shard)
    lines = ", ".join(str(call.lineno) for call in taken)
    done = f"Inserted .shard() where what the function returns is taken for training: line {lines}."
    yield RULE.auto_check(site, found, done=done, todo=_consequences(site), fix=fix)


def _shard_zipped(site: CallSite, found: str, pair: ast.Call) -> Diagnoses:
    """Shard samples where those of several sources are zipped: one finding for all sources."""
    file = site.file
    function = _sharding.outermost(site)
    sources = (call for call in file.calls(*_SOURCES) if _sharding.outermost(call) is function)
    if min((call.node for call in sources), key=position) is not site.node:
        return
    fix = _begun(site)
    end = file.module.end(pair)
    fix.replace_range(end, end, f".shard({_npu.rank_size(file, fix)}, {_npu.rank_id(file, fix)})")
    done = f"Inserted .shard() where the samples of all sources are zipped: line {pair.lineno}."
    yield RULE.auto_check(site, found, done=done, todo=_consequences(site), fix=fix)


def _shard_by_parameter(site: CallSite, found: str, trained: list[ast.Call]) -> Diagnosis:
    """Give the function around a source a parameter that its callers for training set."""
    file, function = site.file, _sharding.outermost(site)
    fix = _begun(site)
    name = fix.fresh(_PARAMETER)
    size, rank = _npu.rank_size(file, fix), _npu.rank_id(file, fix)
    end = file.module.end(site.node)
    fix.replace_range(end, end, f".shard({size} if {name} else 1, {rank} if {name} else 0)")
    if isinstance(function, ast.FunctionDef):
        fix.add_parameter(function, f"{name}=False")
    for call in trained:
        fix.add_argument(call, f"{name}=True")
    lines = ", ".join(str(call.lineno) for call in trained)
    done = f"Inserted .shard() under a parameter that callers for training set: line {lines}."
    return RULE.auto_check(site, found, done=done, todo=_consequences(site), fix=fix)


@RULE.call(*_WHOLE)
@outside_tests
def report_whole_pipelines(site: CallSite) -> Diagnoses:
    """Functions that read, shuffle and batch in one: files must be divided before."""
    if site.file.facts.distributed == "none" or _sharding.is_sharded(site):
        return
    if purpose(site.file, site.node) is Purpose.EVAL:
        return
    files = site.args.value("file_pattern")
    text = "files" if files is None else site.file.brief(files, 40)
    yield RULE.manual(
        site,
        f"{site.callee} reads all files on every device",
        todo=(
            f"Give each device its own files: sorted(tf.gfile.Glob({text}))"
            f"[{_npu.RANK_ID}::{_npu.RANK_SIZE}]."
        ),
    )


@RULE.call(*_QUEUES)
@outside_tests
def divide_queues(site: CallSite) -> Diagnoses:
    """Queues of samples: arrays, and files that hold one sample each."""
    file = site.file
    if file.facts.distributed == "none" or _sharding.is_sharded(site):
        return
    given = site.args.value(_QUEUES[site.name])
    if given is None or purpose(file, site.node) is Purpose.EVAL or tells_ranks(file, given):
        return
    whole = _sharding.reads_whole_files(site)
    if site.name == _FILES and not whole:
        return
    fix = _begun(site)
    own = f"[{_npu.rank_id(file, fix)}::{_npu.rank_size(file, fix)}]"
    if site.name == _FILES:
        fix.replace(given, f"{fix.operand(given)}{own}")
    elif isinstance(given, (ast.List, ast.Tuple)):
        for array in given.elts:
            fix.replace(array, f"{fix.operand(array)}{own}")
    else:
        name = fix.fresh("one")
        fix.replace(given, f"[{name}{own} for {name} in {file.text(given)}]")
    yield RULE.auto_check(
        site,
        f"{site.callee} reads all samples on every device",
        done="Gave each device its own part of what is read.",
        todo="The order must be the same on all devices, and the steps of an epoch are fewer.",
        fix=fix,
    )


@RULE.call(*_ARRAYS)
@outside_tests
def divide_arrays(site: CallSite) -> Diagnoses:
    """Input functions over arrays: give each device its own rows."""
    file = site.file
    if file.facts.distributed == "none" or _sharding.is_sharded(site):
        return
    if purpose(file, site.node) is not Purpose.TRAIN:
        return
    found = f"{site.callee} reads all samples on every device"
    samples, labels = site.args.value("x"), site.args.value("y")
    rows = list(samples.values) if isinstance(samples, ast.Dict) else []
    if samples is not None and site.name.endswith("pandas_input_fn"):
        rows = [samples]
    if labels is not None and file.literal(labels) != (None,):
        rows.append(labels)
    if any(tells_ranks(file, array) for array in rows):
        return
    if samples is None or not rows or rows == [labels]:
        line = f"[{_npu.RANK_ID}::{_npu.RANK_SIZE}]"
        todo = f"Give each device its own rows of x and y: append {line} to every array."
        yield RULE.manual(site, found, todo=todo)
        return
    fix = _begun(site)
    own = f"[{_npu.rank_id(file, fix)}::{_npu.rank_size(file, fix)}]"
    for array in rows:
        fix.replace(array, f"{fix.operand(array)}{own}")
    yield RULE.auto_check(
        site,
        found,
        done="Gave each device its own rows of the arrays.",
        todo="Divide the steps of an epoch by the number of devices.",
        fix=fix,
    )


def _begun(site: CallSite) -> Fix:
    """A fix that, for the first source of a file, lets Python shuffle alike on all ranks."""
    file, fix = site.file, site.fix()
    first = min((call.node for call in file.calls(*_SOURCES, *_ARRAYS, *_QUEUES)), key=position)
    if first is site.node and file.facts.distributed == "tf_strategy" and _same_order.draws(file):
        _same_order.insert_behind_imports(file, fix)
    return fix


def _fix(site: CallSite, used_for: Purpose) -> Fix | None:
    """The fix, None where the place to shard at is not certain."""
    if _sharding.is_joined(site) or _sharding.is_mixed_before(site):
        return None
    fix = _begun(site)
    if site.name == _LIST and not _fix_order(site, fix):
        return None
    shard = f"shard({_npu.rank_size(site.file, fix)}, {_npu.rank_id(site.file, fix)})"
    if used_for is Purpose.TRAIN:
        end = site.file.module.end(site.node)
        fix.replace_range(end, end, f".{shard}")
        return fix
    block = _sharding.training_block(site) if used_for is Purpose.BOTH else None
    if block is None or _is_list_shuffled(site):
        return None
    name, first = block
    _insert_above_comments(site, fix, first, f"{name} = {name}.{shard}")
    return fix


def _insert_above_comments(site: CallSite, fix: Fix, first: ast.stmt, line: str) -> None:
    """Insert before the first statement of a block and the comments above it."""
    source = site.file.module.source
    number = first.lineno
    while source.line(number - 1).lstrip().startswith("#"):
        number -= 1
    if number == first.lineno:
        fix.insert_before(first, line)
        return
    at = source.line_starts[number - 1]
    fix.replace_range(at, at, site.file.module.indent(first) + line + source.newline)


def _fix_order(site: CallSite, fix: Fix) -> bool:
    """Make ``list_files`` give one order on all devices; False where that is not certain."""
    shuffle = site.args.get("shuffle")
    if site.args.starred:
        return False
    if not _is_list_shuffled(site):
        return "seed" in site.args or (
            shuffle is not None and site.file.literal(shuffle.value) == (False,)
        )
    if shuffle is None:
        fix.add_argument(site.node, "shuffle=False")
    else:
        fix.replace(shuffle.value, "False")
    return True


def _is_list_shuffled(site: CallSite) -> bool:
    """Whether ``list_files`` certainly shuffles, in a different order on each device."""
    if site.name != _LIST or "seed" in site.args or site.args.starred:
        return False
    shuffle = site.args.value("shuffle")
    return shuffle is None or site.file.literal(shuffle) in ((True,), (None,))


def _by_hand(site: CallSite, found: str, used_for: Purpose) -> Diagnosis:
    target = getattr(site.statement, "targets", [None])[0]
    name = target.id if isinstance(target, ast.Name) else "dataset"
    line = f"{name} = {name}.shard({_npu.RANK_SIZE}, {_npu.RANK_ID})"
    if used_for is Purpose.BOTH:
        line = f"{line}, for training only"
    elif used_for is Purpose.UNKNOWN:
        line = f"{line}, if it is used for training"
    if _sharding.is_joined(site):
        line = f"{line}, on each of the joined datasets alike"
    if _sharding.is_mixed_before(site) or _is_list_shuffled(site):
        line = f"{line}; the order before that must be the same on all devices"
    return RULE.manual(
        site,
        found,
        todo=(
            f"Give each device its own part right after the source, before shuffle, repeat and "
            f"batch: {line}."
        ),
    )


def _consequences(site: CallSite) -> str:
    text = "Divide the steps of an epoch by the number of devices."
    if site.name == _LIST or _sharding.reads_files_below(site):
        text += " There must be at least as many files as devices."
    if _is_list_shuffled(site):
        text += " The files are no longer shuffled when listed: add .shuffle after the shard."
    return text


def _is_source(site: CallSite) -> bool:
    """Whether a pipeline starts here: not in another one's function nor on a dataset of files."""
    if host.runs_on_host(site.file, site.node):
        return False
    names = site.args.value("filenames")
    return names is None or not site.file.is_a(names, "tf.data.Dataset")
