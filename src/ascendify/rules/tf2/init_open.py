"""Open the NPU in every program, before anything that must follow it."""

from __future__ import annotations

import ast

from ascendify.rules.kit import Diagnoses, File, Fix, Rule, Status
from ascendify.rules.tf2 import _npu, _program
from ascendify.rules.tf2._program import ProgramStart
from ascendify.source.scopes import scope_of

RULE = Rule(
    code="TF2-INIT-1",
    title="Open the NPU before TensorFlow is used",
    why=(
        "Without npu_device.open().as_default() TensorFlow 2 runs on the host and says nothing. "
        "Opening replaces TensorFlow's eager context: a seed set before is forgotten, and "
        "variables and models made before cannot be used."
    ),
    statuses=(Status.AUTO, Status.AUTO_CHECK, Status.INFO),
    before="tf.random.set_seed(1)\nmodel = tf.keras.Sequential(layers)",
    after=(
        "npu_device.open().as_default()\ntf.random.set_seed(1)\nmodel = tf.keras.Sequential(layers)"
    ),
)


@RULE.file
def open_device(file: File) -> Diagnoses:
    """Insert the opening in a file that is run."""
    if not _program.is_run(file) or _program.is_opened(file):
        return
    if _program.runs_sessions(file) or _program.runs_estimators(file):
        return  # sessions reach the NPU in another way
    place = _program.place(file)
    if place is None:
        return
    if not _program.computes(file):
        yield RULE.info(
            file,
            f"{file.path} uses TensorFlow for data only, which the host does; it does not open "
            "the NPU",
        )
        return
    fix = file.fix()
    moved = _moved(file, place)
    _insert(file, fix, place, moved)
    for item in moved:
        fix.remove_statement(item)
    at = file.at(place.first)
    done = "Opened it with npu_device.open().as_default()"
    if moved:
        done += f" and moved {', '.join(file.brief(item) for item in moved)} behind it"
    found = f"{file.path} never opens the NPU, so all of it would run on the host"
    todo = f"It stands before an import, because {place.reason}." if place.reason else ""
    late = _sets_device_later(file, place)
    if late is not None:
        todo = (
            f"{file.brief(late)} on line {late.lineno} chooses the device after it is opened: "
            "move it to the top of the file."
        )
    yield RULE.fixed(at, found, done=f"{done}.", todo=todo, fix=fix)


def _insert(file: File, fix: Fix, place: ProgramStart, moved: list[ast.stmt]) -> None:
    if place.before is not None:
        start = file.module.start(place.before)
        newline = file.module.source.newline
        fix.replace_range(start, start, newline.join([*_npu.early_opening(file), "", ""]))
        return
    lines = [*_npu.opening(file, fix), *(file.text(item) for item in moved)]
    outermost = place.block is file.module.tree.body
    if place.after is not None:
        fix.insert_after(place.after, "\n".join(["", *lines] if outermost else lines))
    else:
        fix.insert_before(place.block[0], "\n".join([*lines, ""] if outermost else lines))


def _moved(file: File, place: ProgramStart) -> list[ast.stmt]:
    """Seeds and settings that run before the place and have the same meaning after it."""
    if place.before is not None or place.block is file.module.tree.body:
        return []
    scope = scope_of(place.block[0])
    return [
        item
        for item in _program.settings_above(file, place)
        if not any(
            isinstance(part, ast.Name) and part.id in scope.bindings for part in ast.walk(item)
        )
        and not file.resolver.project.is_imported(file.path)
    ]


def _sets_device_later(file: File, place: ProgramStart) -> ast.stmt | None:
    """A statement of the block that chooses the device behind the place."""
    start = place.block.index(place.after) + 1 if place.after in place.block else 0
    for item in place.block[start:]:
        for part in ast.walk(item):
            if (
                isinstance(part, ast.Constant)
                and part.value in ("CUDA_VISIBLE_DEVICES", "ASCEND_DEVICE_ID")
                and _program.sets_variable_in(file, item)
            ):
                return item
    return None
