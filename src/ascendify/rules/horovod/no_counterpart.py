"""Horovod functions without a counterpart on an NPU: report them, with what to do instead."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass

from ascendify.rules.horovod import _horovod
from ascendify.rules.kit import Diagnoses, Effort, Rule, Site, Status
from ascendify.source.flow.forward import reads
from ascendify.source.nodes import is_called, last_name, only_target
from ascendify.source.scopes import parent, statement

RULE = Rule(
    code="TF1-HVD-9",
    title="Replace Horovod functions that have no counterpart on an NPU",
    why="Horovod does not run on an NPU, and these functions have no counterpart there.",
    statuses=(Status.BLOCKER, Status.MANUAL, Status.AUTO_CHECK),
    before="callbacks.append(hvd.callbacks.BestModelCheckpoint('best.h5'))",
)


@dataclass(frozen=True)
class Note:
    """What to do about a name, and how much work that is."""

    todo: str
    effort: Effort = Effort.MINUTES
    status: Status = Status.MANUAL


_HOURS = Effort.HOURS
SHARED_NOTES = {
    "LearningRateScheduleCallback": Note(
        "Use tf.keras.callbacks.LearningRateScheduler(lambda epoch, rate: {lr} * {multiplier} "
        "if {start} <= epoch < {end} else rate)."
    ),
    "BestModelCheckpoint": Note(
        "Use tf.keras.callbacks.ModelCheckpoint(save_best_only=True), on rank 0 only."
    ),
    "elastic": Note(
        "The ranks of an NPU job are fixed when it starts: save checkpoints and restart the job "
        "with another rank table.",
        Effort.REWRITE,
        Status.BLOCKER,
    ),
    "run": Note(
        "Call the function itself, and start one process for each device, with ascendify launch."
    ),
    "join": Note(
        "Give every rank the same number of steps: shard the data, repeat it and stop by a count.",
        _HOURS,
    ),
    "Compression": Note("Leave it out: gradients are sent in the type they have."),
    "add_process_set": Note(
        "Make a group with create_group(name, rank_num, rank_ids) of hccl.manage.api and pass "
        "group=name to the collectives.",
        _HOURS,
    ),
}
"""Notes that hold for both releases of TensorFlow."""
_NOTES = {
    **SHARED_NOTES,
    "load_model": Note(
        "Use tf.keras.models.load_model() and compile the model with "
        "npu_distributed_optimizer_wrapper(optimizer)."
    ),
    "DistributedGradientTape": Note(
        "TensorFlow 1 on an NPU has no eager execution: build a graph, and average its gradients "
        "with npu_distributed_optimizer_wrapper() or npu_allreduce().",
        Effort.REWRITE,
        Status.BLOCKER,
    ),
    "SyncBatchNormalization": Note(
        "Use tf.layers.batch_normalization, whose statistics are those of one device, with a batch "
        "large enough for it.",
        _HOURS,
    ),
    "alltoall": Note(
        "Use hccl_ops.all_to_all_v(send_data, send_counts, send_displacements, recv_counts, "
        "recv_displacements); the counts must be known.",
        _HOURS,
    ),
    "reducescatter": Note(
        'Use hccl_ops.reduce_scatter(tensor, "sum", get_rank_size()), divided by get_rank_size() '
        "for an average; the first dimension must be a multiple of the number of ranks."
    ),
    "is_initialized": Note("Keep a flag of your own that is set beside init_resource()."),
    "broadcast_object": Note(
        "HCCL sends tensors only: let every rank compute or read the object, or send it as an "
        "integer tensor with hccl_ops.broadcast().",
        _HOURS,
    ),
    "allgather_object": Note(
        "HCCL sends tensors only: gather numbers with hccl_ops.allgather(), or write files.", _HOURS
    ),
    "rank_op": Note("Use the number get_rank_id() gives."),
    "size_op": Note("Use the number get_rank_size() gives."),
    "cross_rank": Note("Use get_rank_id() // get_local_rank_size()."),
    "cross_size": Note("Use get_rank_size() // get_local_rank_size()."),
    **dict.fromkeys(
        ("start_timeline", "stop_timeline"), Note("Remove it; the NPU has profiling options.")
    ),
    "is_homogeneous": Note("Replace the call by True."),
}
_SCHEDULES = ("LearningRateWarmupCallback", "LearningRateScheduleCallback")
"""Callbacks whose recipe includes their own arguments."""
_COMPRESSION = f"{_horovod.TF}.Compression"
_OPS = frozenset(f"{_horovod.TF}.{name}" for name in ("Average", "Sum", "Min", "Max", "Product"))
"""Arguments of collectives, which are reported together where they cannot be translated."""
_BUILT = Note("Remove the check: communication goes through HCCL, without MPI, Gloo or NCCL.")
_PROCESS_SET = _NOTES["add_process_set"]
_KERAS_VALUES = Note(
    "Build the collective of hccl_ops on a tensor and run it in the Keras session: "
    'tf.keras.backend.get_session().run(hccl_ops.allreduce(tensor, "sum")).'
)
_UNKNOWN = Note(
    "An NPU machine has no Horovod: find out what this does and replace it, maybe with hccl_ops.",
    _HOURS,
)
_CALLED = Note(
    "It is rewritten only where it is called by this name: call it directly, or use what the NPU's "
    "API has instead."
)


@RULE.reference("horovod.*")
def report(site: Site) -> Diagnoses:
    """Report uses that remain after all other rules have run."""
    yield from report_as(RULE, site, _NOTES, _horovod.CALLED)


def report_as(
    rule: Rule, site: Site, notes: Mapping[str, Note], rewritten: frozenset[str]
) -> Diagnoses:
    """Report a name with the words of some notes, unless it is rewritten where it is called."""
    name = site.name
    if (
        not _horovod.concerns(name)
        or name in _horovod.MODULES
        or name in _horovod.RANKS
        or not _horovod.is_direct(site.file, site.node)
    ):
        return
    if name in _OPS or (name.startswith(_COMPRESSION) and not _is_first(site)):
        return
    if name == _horovod.SHUTDOWN or (name in rewritten and is_called(site.node)):
        return
    unread = _unread(site) if name.startswith(_COMPRESSION) else None
    if unread is not None:
        fix = site.fix()
        fix.remove_statement(unread)
        yield rule.auto_check(
            site,
            f"{site.text} chooses how Horovod sends gradients, and nothing reads it",
            done="Removed it.",
            todo="Gradients are sent in the type they have.",
            fix=fix,
        )
        return
    whole = parent(site.node)
    note = _note(name, notes, rewritten)
    if note is _BUILT and isinstance(whole, ast.Call) and _decides(whole):
        fix = site.fix()
        fix.replace(whole, "False")
        yield rule.auto_check(
            site.at(whole),
            f"{site.text}() checks for a library that an NPU does not use",
            done="Replaced the check by False.",
            todo="Check that the other branch is right: communication goes through HCCL.",
            fix=fix,
        )
        return
    todo = note.todo
    called = isinstance(whole, ast.Call) and whole.func is site.node
    at = whole if called else site.node
    if name.rpartition(".")[2] in _SCHEDULES:
        todo = _filled(site, todo, whole.keywords if isinstance(whole, ast.Call) else [])
    if note.status is Status.MANUAL:
        todo = f"{todo} The import of Horovod stays until then."
    fix = site.fix()
    fix.provisional = True
    yield rule.finding(
        note.status,
        site.at(at),
        f"{site.text} has no counterpart on an NPU",
        todo=todo,
        effort=note.effort,
        fix=fix,
    )


def _decides(check: ast.Call) -> bool:
    """Whether a check only chooses between two branches, so that False is a correct result."""
    test: ast.AST = check
    owner = parent(test)
    while isinstance(owner, ast.BoolOp) or (
        isinstance(owner, ast.UnaryOp) and isinstance(owner.op, ast.Not)
    ):
        test, owner = owner, parent(owner)
    if isinstance(owner, ast.IfExp):
        return owner.test is test
    return (
        isinstance(owner, ast.If)
        and owner.test is test
        and not any(
            isinstance(item, (ast.Raise, ast.Assert, ast.Call)) and _stops(item)
            for branch in (*owner.body, *owner.orelse)
            for item in ast.walk(branch)
        )
    )


def _stops(node: ast.AST) -> bool:
    """Whether a statement or call ends the program."""
    if isinstance(node, ast.Call):
        return last_name(node.func) in ("exit", "quit", "_exit")
    return True


def _filled(site: Site, recipe: str, given: list[ast.keyword]) -> str:
    """A recipe for a learning rate with the user's own values, in capitals where there is none."""
    values = {item.arg: site.file.brief(item.value, 40) for item in given}
    for item in given:
        if item.arg == "multiplier" and site.file.literal(item.value) is None:
            values[item.arg] = f"({values[item.arg]})(epoch)"
    return recipe.format(
        lr=values.get("initial_lr", "LR"),
        epochs=values.get("warmup_epochs", "5"),
        multiplier=values.get("multiplier", "MULTIPLIER"),
        start=values.get("start_epoch", "0"),
        end=values.get("end_epoch", "LAST"),
    )


def _unread(site: Site) -> ast.stmt | None:
    """The statement that puts a choice of Horovod's into a variable that nothing reads."""
    holder = statement(site.node)
    target = only_target(holder)
    if not isinstance(target, ast.Name) or any(True for _ in reads(target)):
        return None
    calls = [item for item in ast.walk(holder) if isinstance(item, ast.Call)]
    return None if calls else holder


def _is_first(site: Site) -> bool:
    """Whether this is the file's first mention of compression: one finding is enough."""
    first = next(site.file.references(f"{_COMPRESSION}.*", _COMPRESSION), None)
    return first is None or first.node is site.node


def _note(name: str, notes: Mapping[str, Note], rewritten: frozenset[str]) -> Note:
    if name in rewritten:
        return _CALLED
    parts = name.split(".")[1:]
    for part in parts:
        if part in notes:
            return notes[part]
        if part.endswith(("_built", "_enabled", "_supported")):
            return _BUILT
        if part.lower().endswith(("process_set", "processset")) or part == "process_sets":
            return _PROCESS_SET
    if name.startswith(_horovod.KERAS) and parts[-1] in ("allreduce", "allgather", "broadcast"):
        return _KERAS_VALUES
    return _UNKNOWN
