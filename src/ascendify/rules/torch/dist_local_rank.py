"""Read the local rank from every place where launchers put it."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, File, Rule, Status
from ascendify.source.scopes import parent

RULE = Rule(
    code="TORCH-DIST-10",
    title="Accept the local rank from every launcher",
    why=(
        "torch.distributed.launch passes --local_rank before torch 2.0 and --local-rank since; "
        "torchrun passes neither and sets LOCAL_RANK. A program that accepts only one of these "
        "fails, or runs every rank on NPU 0."
    ),
    statuses=(Status.AUTO, Status.INFO, Status.MANUAL),
    before="parser.add_argument('--local_rank', type=int, default=0)",
    after=(
        "parser.add_argument('--local_rank', '--local-rank', type=int, "
        "default=int(os.environ.get('LOCAL_RANK', 0)))"
    ),
)

_OPTION, _OTHER = "--local_rank", "--local-rank"


@RULE.file
def accept_both(file: File) -> Diagnoses:
    """Change options that the program declares."""
    for call in file.module.index.calls_by_name.get("add_argument", ()):
        names = [getattr(item, "value", None) for item in call.args]
        if _OPTION in names and not any(isinstance(item, ast.Starred) for item in call.args):
            yield from _option(file, call, names)


def _option(file: File, call: ast.Call, names: list[object]) -> Diagnoses:
    fix = file.fix()
    done: list[str] = []
    if _OTHER not in names:
        option = call.args[names.index(_OPTION)]
        end = file.module.end(option)
        fix.replace_range(end, end, f", {file.quoted(_OTHER, option)}")
        done.append(f"Added the spelling {_OTHER}.")
    keywords = {item.arg: item for item in call.keywords}
    if None in keywords:
        keywords.pop("required", None)
    default = keywords.get("default")
    required = keywords.get("required")
    if default is not None and _is_number(default.value):
        number = file.text(default.value)
        fix.replace(default.value, f"int({fix.use('os')}.environ.get('LOCAL_RANK', {number}))")
        done.append("Read the default from LOCAL_RANK, which torchrun sets.")
    if done:
        yield RULE.auto(
            file.at(call),
            f"{file.brief(call)} accepts the local rank from one launcher only",
            done=" ".join(done),
            fix=fix,
        )
    if required is not None and getattr(required.value, "value", None) is True:
        yield RULE.manual(
            file.at(call),
            f"{file.brief(call)} requires an option that torchrun does not pass",
            todo=(
                "Replace required=True by default=int(os.environ.get('LOCAL_RANK', 0)) if the "
                "program is started with torchrun."
            ),
        )


def _is_number(node: ast.expr) -> bool:
    inner = node.operand if isinstance(node, ast.UnaryOp) else node
    return isinstance(inner, ast.Constant) and type(inner.value) is int


@RULE.file
def note_command(file: File) -> Diagnoses:
    """Note a command line in the program that starts the old launcher."""
    if "torch.distributed.launch" not in file.module.source.text:
        return
    for node in file.module.index.of(ast.Constant):
        text = node.value
        if not isinstance(text, str) or "torch.distributed.launch" not in text:
            continue
        if isinstance(parent(node), ast.Expr) or (" " in text and "-m torch" not in text):
            continue
        yield RULE.info(
            file.at(node),
            f"{file.brief(node)} starts ranks with a deprecated launcher",
            todo=(
                "Use torch.distributed.run (torchrun) if the program reads LOCAL_RANK; HCCL needs "
                "nothing else from a launcher."
            ),
        )


@RULE.call("torch.distributed.launch.main", "torch.distributed.launch.launch")
def note_call(site: CallSite) -> Diagnoses:
    """Note the old launcher as a function."""
    yield RULE.info(
        site,
        f"{site.callee} is deprecated",
        todo="Call torch.distributed.run.main if the program reads LOCAL_RANK.",
    )
