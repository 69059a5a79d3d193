"""Let process 0 write the files of a program."""

from __future__ import annotations

import ast

from ascendify.rules.helpers import DDP
from ascendify.rules.kit import CallSite, Diagnoses, File, Rule, Status
from ascendify.rules.torch import _ddp
from ascendify.source.nodes import is_literal, keyword_value, last_name
from ascendify.source.scopes import ancestors, parent, statement

RULE = Rule(
    code="TORCH-DIST-14",
    title="Write files on process 0 only",
    why=(
        "Processes that write the same file at the same time leave a broken one. npu_ddp.save() "
        "writes on process 0 and lets the others wait until the file is complete; pictures and "
        "records are written by process 0 alone, and folders may be there already."
    ),
    statuses=(Status.AUTO, Status.INFO),
    before=(
        "for x in loader:\n    model(x).mean().backward()\n    optimizer.step()\n"
        "torch.save(model.state_dict(), 'net.pt')"
    ),
    after=(
        "for x in loader:\n    model(x).mean().backward()\n    optimizer.step()\n"
        "npu_ddp.save(model.state_dict(), 'net.pt')"
    ),
    last=True,
    requested=_ddp.is_requested,
)

_WRITERS = (
    "torchvision.utils.save_image", "numpy.save", "numpy.savez", "numpy.savetxt",
    "matplotlib.pyplot.savefig", "json.dump", "pickle.dump",
)  # fmt: skip
_RECORDS = (
    "torch.utils.tensorboard.SummaryWriter", "tensorboardX.SummaryWriter", "wandb.init",
    "logging.FileHandler", "torch.utils.tensorboard.writer.SummaryWriter",
)  # fmt: skip


@RULE.file
def write_once(file: File) -> Diagnoses:
    """Guard what writes files, in all files of a program."""
    plans = _ddp.plans(file)
    if not plans:
        return
    for site in file.calls("torch.save"):
        fix = site.fix()
        fix.replace(site.node.func, f"{fix.use(DDP)}.save")
        yield RULE.auto(
            site,
            f"{site.brief} writes the file on every process",
            done="Wrote it on process 0, while the others wait.",
            fix=fix,
        )
    forwards = {call for plan in plans for call in plan.forwards}
    for site in file.calls(*_WRITERS):
        if _is_alone(site) and not forwards.intersection(ast.walk(statement(site.node))):
            fix = site.fix()
            unit = file.module.indent_unit
            indent = file.module.indent(statement(site.node))
            start = file.module.start(statement(site.node))
            newline = file.module.source.newline
            guard = f"if {fix.use(DDP)}.is_main():{newline}{indent}{unit}"
            fix.replace_range(start, start, guard)
            yield RULE.auto(
                site,
                f"{site.brief} writes the file on every process",
                done="Wrote it on process 0 only.",
                fix=fix,
            )
    yield from _folders(file)
    for site in file.calls(*_RECORDS):
        yield RULE.info(
            site,
            f"{site.brief} records on every process",
            todo=f"Where that disturbs, record on process 0 only: test {DDP}.is_main().",
        )


def _is_alone(site: CallSite) -> bool:
    """Whether a call is a statement on lines of its own, and not under a test of the rank."""
    item = statement(site.node)
    if not isinstance(item, ast.Expr) or item.value is not site.node:
        return False
    source = site.file.module.source
    before = source.line(item.lineno)[: item.col_offset]
    around = parent(item)
    guarded = isinstance(around, ast.If) and "is_main()" in site.file.text(around.test)
    return not before.strip() and not guarded


def _folders(file: File) -> Diagnoses:
    """Folders that are made where they are not there: another process may be faster."""
    for call in file.module.index.calls_by_name.get("makedirs", ()):
        yield from _folder(file, call)
    for call in file.module.index.calls_by_name.get("mkdir", ()):
        yield from _folder(file, call)


def _folder(file: File, call: ast.Call) -> Diagnoses:
    name = file.name(call.func)
    tested = any(
        isinstance(item, ast.If)
        and any(last_name(node) in ("exists", "isdir", "is_dir") for node in ast.walk(item.test))
        for item in ancestors(call)
    )
    given = keyword_value(call, "exist_ok")
    if not tested or (given is not None and not is_literal(given, False)):
        return
    fix = file.fix()
    if name == "os.mkdir" and len(call.args) == 1 and not call.keywords:
        function = call.func
        end = file.module.end(function)
        if isinstance(function, ast.Attribute):
            fix.replace_range(end - len("mkdir"), end, "makedirs")
        else:
            fix.replace(function, fix.use("os", "makedirs"))
    elif name != "os.makedirs" and not (name or "").startswith("pathlib."):
        return
    if given is not None:
        fix.replace(given, "True")
    else:
        fix.add_argument(call, "exist_ok=True")
    yield RULE.auto(
        file.at(call),
        f"{file.brief(call)} fails where another process has made the folder meanwhile",
        done="Added exist_ok=True.",
        fix=fix,
    )
