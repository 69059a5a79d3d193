"""Distributed training: every device reads its own part of the data."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ascendify.findings import Effort, Status
from ascendify.rules.fix import Fix
from ascendify.rules.rule import Diagnosis, Rule
from ascendify.rules.site import CallSite
from ascendify.rules.tf1 import _pipeline
from ascendify.rules.tf1._purpose import Purpose, branch, purpose
from ascendify.source.module import Module
from ascendify.source.scopes import parent
from ascendify.source.values import Function

RULE = Rule(
    code="TF1-DATA-2",
    title="Give each device its own part of the training data",
    why=(
        "One process trains on each device. Without a shard every one of them reads all samples, "
        "and an epoch on N devices is N epochs."
    ),
    statuses=(Status.AUTO_CHECK, Status.MANUAL),
    before="dataset = tf.data.TFRecordDataset(train_files)",
    after="dataset = tf.data.TFRecordDataset(train_files).shard(get_rank_size(), get_rank_id())",
    safety=(
        "Each process sees 1/N of the samples, so an epoch has 1/N of the steps. The ranks must be "
        "known when the pipeline is built: the collective library is initialised before."
    ),
)

_FILES = (
    "tf.data.TFRecordDataset",
    "tf.data.TextLineDataset",
    "tf.data.FixedLengthRecordDataset",
    "tf.data.experimental.CsvDataset",
    "tf.contrib.data.CsvDataset",
)
_LIST = "tf.data.Dataset.list_files"
_SOURCES = (
    *_FILES,
    _LIST,
    "tf.data.Dataset.from_tensor_slices",
    "tf.data.Dataset.from_generator",
    "tf.data.Dataset.range",
)
_WHOLE = (
    "tf.data.experimental.make_batched_features_dataset",
    "tf.contrib.data.make_batched_features_dataset",
    "tf.data.experimental.make_csv_dataset",
    "tf.contrib.data.make_csv_dataset",
)
_SHARDED = re.compile(
    r"shard|(?:^|_)rank(?:$|_)|^hvd$|num_workers|worker_(?:index|id|num)|num_replicas|"
    r"input_pipeline|input_context|distribute_dataset|make_dataset_iterator|"
    r"distribute_datasets_from_function",
    re.I,
)
"""Names that show that the pipeline divides its samples already."""
_JOINING = frozenset({"zip", "concatenate", "sample_from_datasets", "choose_from_datasets"})
_SAFE_BEFORE_SHARD = frozenset({"map", "with_options", "cache", "filter", "take", "skip"})
_SHARD = "shard(get_rank_size(), get_rank_id())"


@RULE.call(*_SOURCES)
@_pipeline.outside_tests
def shard_source(site: CallSite) -> Iterator[Diagnosis]:
    """Shard the source of a training pipeline, before anything shuffles or batches it."""
    if site.file.facts.distributed == "none" or not _is_source(site) or _is_sharded(site):
        return
    serves = purpose(site.file, site.node)
    if serves is Purpose.EVAL:
        return
    call = _pipeline.spelled(site.file, site.node)
    found = f"{call} reads all samples on every device"
    fix = None if _is_joined(site) else _sharding(site, serves)
    if fix is None:
        yield _by_hand(site, found, serves)
        return
    yield site.finding(
        RULE,
        Status.AUTO_CHECK,
        found,
        done=f"Inserted .{_SHARD}"
        + (" and made the order of the files the same everywhere." if _shuffles(site) else "."),
        todo=_consequences(site),
        fix=fix,
    )


@RULE.call(*_WHOLE)
@_pipeline.outside_tests
def tell_whole_pipelines(site: CallSite) -> Iterator[Diagnosis]:
    """Tell about functions that read, shuffle and batch in one: files must be divided before."""
    if site.file.facts.distributed == "none" or _is_sharded(site):
        return
    if purpose(site.file, site.node) is Purpose.EVAL:
        return
    files = site.args.value("file_pattern")
    text = "files" if files is None else site.file.brief(files, 40)
    yield site.finding(
        RULE,
        Status.MANUAL,
        f"{site.file.brief(site.node.func)} reads all files on every device",
        todo=(
            f"Give each device its own files: sorted(tf.gfile.Glob({text}))"
            "[get_rank_id()::get_rank_size()] (both from hccl.manage.api)."
        ),
        effort=Effort.MINUTES,
    )


def _sharding(site: CallSite, serves: Purpose) -> Fix | None:
    """The fix, None where the place to shard at is not certain."""
    fix = site.fix()
    if site.name == _LIST and not _fix_order(site, fix):
        return None
    shard = (
        f"shard({fix.use('hccl.manage.api', 'get_rank_size')}(), "
        f"{fix.use('hccl.manage.api', 'get_rank_id')}())"
    )
    if serves is Purpose.TRAIN:
        end = site.file.module.end(site.node)
        fix.replace_range(end, end, f".{shard}")
        return fix
    if serves is Purpose.BOTH:
        block = _training_block(site)
        if block is not None and not (site.name == _LIST and _shuffles(site)):
            name, first = block
            fix.insert_before(first, f"{name} = {name}.{shard}")
            return fix
    return None


def _fix_order(site: CallSite, fix: Fix) -> bool:
    """Make ``list_files`` give one order on all devices; False where that is not certain."""
    shuffle = site.args.get("shuffle")
    if site.args.starred:
        return False
    if not _shuffles(site):
        return (
            shuffle is None or "seed" in site.args or site.file.literal(shuffle.value) == (False,)
        )
    if shuffle is None:
        fix.add_argument(site.node, "shuffle=False")
    else:
        fix.replace(shuffle.value, "False")
    return True


def _shuffles(site: CallSite) -> bool:
    """Whether ``list_files`` surely shuffles, in an order of its own on each device."""
    if site.name != _LIST or "seed" in site.args or site.args.starred:
        return False
    shuffle = site.args.value("shuffle")
    return shuffle is None or site.file.literal(shuffle) in ((True,), (None,))


def _training_block(site: CallSite) -> tuple[str, ast.stmt] | None:
    """The dataset's variable and the first statement of the training branch that follows.

    ``d = source(...)`` and later, in the same block, ``if is_training: d = d.shuffle(...)``.
    """
    assign = site.statement
    if not isinstance(assign, ast.Assign) or len(assign.targets) != 1:
        return None
    target = assign.targets[0]
    if not isinstance(target, ast.Name) or not _keeps_order(assign.value, site.node):
        return None
    for following in _after(assign):
        if isinstance(following, ast.If) and branch(following.test) is Purpose.TRAIN:
            first = following.body[0]
            return (target.id, first) if _continues(first, target.id) else None
        if not _is_harmless(following, target.id):
            return None
    return None


def _after(node: ast.stmt) -> list[ast.stmt]:
    owner = parent(node)
    for name in ("body", "orelse", "finalbody"):
        block = getattr(owner, name, None)
        if isinstance(block, list) and node in block:
            return block[block.index(node) + 1 :]
    return []


def _keeps_order(value: ast.expr, source: ast.Call) -> bool:
    """Whether nothing but harmless steps stands between the source and the assignment."""
    for call in _pipeline.chain(value):
        if call is source:
            return True
        if getattr(call.func, "attr", "") not in _SAFE_BEFORE_SHARD:
            return False
    return False


def _continues(node: ast.stmt, name: str) -> bool:
    """``name = name.something(...)``."""
    return (
        isinstance(node, ast.Assign)
        and len(node.targets) == 1
        and isinstance(node.targets[0], ast.Name)
        and node.targets[0].id == name
        and any(
            isinstance(call.func, ast.Attribute)
            and isinstance(call.func.value, ast.Name)
            and call.func.value.id == name
            for call in ast.walk(node.value)
            if isinstance(call, ast.Call)
        )
    )


def _is_harmless(node: ast.stmt, name: str) -> bool:
    mentioned = any(isinstance(item, ast.Name) and item.id == name for item in ast.walk(node))
    if not mentioned:
        return not isinstance(node, (ast.Return, ast.FunctionDef))
    return _continues(node, name) and all(
        item.func.attr in _SAFE_BEFORE_SHARD
        for item in ast.walk(node)
        if isinstance(item, ast.Call)
        and isinstance(item.func, ast.Attribute)
        and isinstance(item.func.value, ast.Name)
        and item.func.value.id == name
    )


def _by_hand(site: CallSite, found: str, serves: Purpose) -> Diagnosis:
    name = _target(site) or "dataset"
    line = f"{name} = {name}.{_SHARD}"
    if serves is Purpose.BOTH:
        line = f"if training: {line}"
    elif serves is Purpose.UNKNOWN:
        line = f"{line}, if it serves training"
    if _is_joined(site):
        line = f"{line}, on each of the joined datasets or on the joined one before it is shuffled"
    return site.finding(
        RULE,
        Status.MANUAL,
        found,
        todo=(
            f"Give each device its own part right after the source, before shuffle, repeat and "
            f"batch: {line} (from hccl.manage.api import get_rank_id, get_rank_size)."
        ),
        effort=Effort.MINUTES,
    )


def _consequences(site: CallSite) -> str:
    text = "Divide the steps of an epoch by the number of devices."
    if site.name == _LIST or _reads_files_below(site):
        text += " There must be at least as many files as devices."
    if _shuffles(site):
        text += " The files are no longer shuffled when listed: add .shuffle after the shard."
    return text


def _reads_files_below(site: CallSite) -> bool:
    scope = next(_pipeline.enclosing_functions(site.node), None)
    return scope is not None and any(
        getattr(item, "attr", "") in ("interleave", "flat_map", "parallel_interleave")
        for item in ast.walk(scope)
    )


def _target(site: CallSite) -> str | None:
    node = site.statement
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id
    return None


def _is_source(site: CallSite) -> bool:
    """Whether a pipeline starts here: not in another one's function nor on a dataset of files."""
    if _pipeline.runs_on_host(site.file, site.node):
        return False
    names = site.args.value("filenames")
    return names is None or not site.file.is_a(names, "tf.data.Dataset")


def _is_joined(site: CallSite) -> bool:
    """Whether the function joins datasets, so that one shard alone would mix up samples."""
    scope: ast.AST = next(_pipeline.enclosing_functions(site.node), site.file.module.tree)
    return any(
        isinstance(item, ast.Attribute) and item.attr in _JOINING for item in ast.walk(scope)
    )


def _is_sharded(site: CallSite) -> bool:
    """Whether the functions around or their callers divide samples among workers."""
    functions = list(_pipeline.enclosing_functions(site.node))
    if not functions:
        return _mentions_shards(site.file.module.tree)
    outermost = functions[-1]
    if _mentions_shards(outermost):
        return True
    callers = site.file.resolver.callers(Function(site.file.module, outermost))
    return any(_caller_shards(module, call) for module, call, _ in callers)


def _caller_shards(module: Module, call: ast.Call) -> bool:
    if _mentions_shards(call):
        return True
    scope: ast.AST = next(_pipeline.enclosing_functions(call), module.tree)
    return any(
        isinstance(item, ast.Attribute)
        and (item.attr == "shard" or "distribute_dataset" in item.attr)
        for item in ast.walk(scope)
    )


def _mentions_shards(node: ast.AST) -> bool:
    return any(_SHARDED.search(name) for item in ast.walk(node) for name in _identifiers(item))


def _identifiers(node: ast.AST) -> Iterator[str]:
    for field in ("id", "attr", "arg"):
        name = getattr(node, field, None)
        if isinstance(name, str):
            yield name
