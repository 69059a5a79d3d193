"""Seeds, settings and variables that a program makes before it opens the NPU."""

from __future__ import annotations

import ast

from ascendify.rules.kit import Diagnoses, Diagnosis, File, Rule, Status
from ascendify.rules.tf2 import _program, _state

RULE = Rule(
    code="TF2-INIT-2",
    title="Set seeds and make variables behind the opening of the NPU",
    why=(
        "npu_device.open() replaces TensorFlow's eager context. A seed or a setting of tf.config "
        "made before is forgotten without a word; a variable or a built model made before raises "
        "FailedPreconditionError when it is used."
    ),
    statuses=(Status.AUTO, Status.MANUAL),
    foretells=("EMU-OPEN-1",),
    before="tf.random.set_seed(1)\nnpu_device.open().as_default()",
    after="npu_device.open().as_default()\ntf.random.set_seed(1)",
)


@RULE.file
def mend_order(file: File) -> Diagnoses:
    """Move what is before the opening of the NPU but must be after it."""
    if not _program.is_run(file):
        return
    opening = _program.opening(file)
    if opening is None:
        return
    block, opened = opening
    for item in block[: block.index(opened)]:
        if _state.setting(file, item):
            yield _moved(file, item, opened)
        elif _state.lost(file, item):
            yield _lost(file, item, opened)
    if block is not file.module.tree.body:
        for item in _program.top_level(file.module):
            if _state.lost(file, item) and not _program.opens(file, item):
                yield _lost(file, item, opened)
    yield from _imported(file, opened)


def _moved(file: File, item: ast.stmt, opened: ast.stmt) -> Diagnosis:
    fix = file.fix()
    fix.remove_statement(item)
    fix.insert_after(opened, file.text(item))
    return RULE.auto(
        file.at(item),
        f"{file.brief(item)} is forgotten when line {opened.lineno} opens the NPU",
        done="Moved it behind the opening.",
        fix=fix,
    )


def _lost(file: File, item: ast.stmt, opened: ast.stmt) -> Diagnosis:
    return RULE.manual(
        file.at(item),
        f"{file.brief(item)} runs before line {opened.lineno} opens the NPU and is lost then",
        todo=f"Do it behind {file.brief(opened)}, or open the NPU before it.",
    )


def _imported(file: File, opened: ast.stmt) -> Diagnoses:
    """Modules of the project that make something as soon as they are imported."""
    project = file.resolver.project
    for item in file.module.tree.body:
        if not isinstance(item, (ast.Import, ast.ImportFrom)) or item.lineno > opened.lineno:
            continue
        for path in project.imports(file.path, file.module.segment(item)):
            found = _state.lost_at_import(file, path)
            if found is not None:
                module, node, _ = found
                yield RULE.manual(
                    file.at(item),
                    f"{module.path} runs {file.of(module).brief(node, 40)} on line {node.lineno} "
                    f"when it is imported, before line {opened.lineno} opens the NPU",
                    todo=f"Make it in a function, or open the NPU above {file.brief(item)}.",
                )
                return
