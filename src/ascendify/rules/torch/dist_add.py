"""Make a program for one device train on several, with one process for each."""

from __future__ import annotations

import ast
import re

from ascendify.rules.helpers import DDP
from ascendify.rules.kit import Diagnoses, Diagnosis, File, Rule, Status
from ascendify.rules.torch import _ddp
from ascendify.rules.torch._ddp import Plan, Several
from ascendify.rules.torch._ddp_models import Wrap
from ascendify.rules.torch._ddp_steps import Obstacle
from ascendify.source.nodes import is_literal, keyword_value
from ascendify.source.scopes import parent

RULE = Rule(
    code="TORCH-DIST-11",
    title="Train on several NPUs with one process each, where that is requested",
    why=(
        "With --distributed add, and in ascendify port, a program that trains on one device "
        "becomes one whose processes, one for each NPU, train the same model: "
        "DistributedDataParallel averages their gradients. The functions of npu_ddp.py, which is "
        "added to the project, give back what they are given where there is one process only."
    ),
    statuses=(Status.AUTO_CHECK, Status.AUTO, Status.MANUAL, Status.INFO),
    before=(
        "for x in loader:\n    optimizer.zero_grad()\n    model(x).mean().backward()\n"
        "    optimizer.step()"
    ),
    after=(
        "npu_ddp.init()\nmodel = npu_ddp.wrap(model)\nfor x in loader:\n"
        "    optimizer.zero_grad()\n    model(x).mean().backward()\n    optimizer.step()"
    ),
    safety=(
        "With one process nothing changes. With several, the batch size is that of each process: "
        "the total is larger by their number, which may ask for a larger learning rate. Statistics "
        "of batch normalization are those of each process's own samples."
    ),
    last=True,
    requested=_ddp.is_requested,
)

_DEVICE = re.compile(r"npu:(\d+)")
_NORMS = re.compile(r"\bBatchNorm[123]d\b|\bresnet\w*\(|\bvgg\w*_bn\b|\bmobilenet|\bdensenet")
_SUMS = re.compile(r"reduction\s*=\s*['\"]sum['\"]|size_average\s*=\s*False")


@RULE.file
def distribute(file: File) -> Diagnoses:
    """Join the processes, wrap the models, use the process's own NPU; or say what is in the way."""
    outcomes = _ddp.outcomes(file)
    for path, outcome in outcomes.items():
        if isinstance(outcome, Obstacle) and outcome.module is file.module:
            yield _report(file, path, outcome)
        elif isinstance(outcome, Several) and outcome.module is file.module:
            yield RULE.info(
                file.at(outcome.node),
                f"{path} trains on several devices already, with {outcome.name}: nothing is added",
            )
        elif isinstance(outcome, Plan) and path == file.path:
            yield _join(file, outcome)
    plans = [item for item in outcomes.values() if isinstance(item, Plan)]
    if plans:
        wraps = {wrap: plan for plan in plans for wrap in plan.wraps if wrap.module is file.module}
        for wrap, plan in wraps.items():
            yield _wrap(file, plan, wrap)
        yield from _unwraps(file, plans)
        yield from _devices(file)


def _report(file: File, path: str, problem: Obstacle) -> Diagnosis:
    return RULE.manual(
        file.at(problem.node),
        f"{path} is not made to train on several NPUs: {problem.found}",
        todo=f"{problem.todo} The rest of {path} was left as it is, for one device.",
    )


def _join(file: File, plan: Plan) -> Diagnosis:
    fix = file.fix()
    helper = fix.use(DDP)
    before, after = _ddp.start(file, plan)
    if before is not None:
        fix.insert_before(before, f"{helper}.init()")
    elif after is not None:
        fix.insert_after(after, f"\n{helper}.init()")
    todo = (
        f"Start it with ascendify launch --devices 8 -- python {file.path}, or torchrun "
        f"--nproc_per_node=8 {file.path}. The batch size is that of each process: divide it by "
        "their number to train with the same steps as one device (ascendify verify A B --devices 2 "
        "compares two with half of the batch each with one), or keep it and choose a larger "
        "learning rate."
    )
    texts = [module.source.text for module in plan.modules.values()]
    if any(_SUMS.search(text) for text in texts):
        todo += (
            " A loss that is a sum over the batch has gradients of one process's part: averaged, "
            "they are smaller than those of one device by the number of processes."
        )
    return RULE.auto_check(
        file.at(before or after),
        f"{file.path} trains on one device",
        done=f"Called {helper}.init(), which joins the processes of a launcher.",
        todo=todo,
        fix=fix,
    )


def _wrap(file: File, plan: Plan, wrap: Wrap) -> Diagnosis:
    fix = file.fix()
    helper = fix.use(DDP)
    line = f"{wrap.text} = {helper}.wrap({wrap.text})"
    if wrap.after:
        fix.insert_after(wrap.place, line)
    else:
        fix.insert_before(wrap.place, line)
    found = f"{wrap.text} trains with the gradients of one device"
    done = f"Wrapped it in DistributedDataParallel where there are several, by {helper}.wrap()."
    todo = ""
    if any(_NORMS.search(module.source.text) for module in plan.modules.values()):
        todo = (
            "Batch normalization uses the samples of one process. Where a batch of one process is "
            f"too small for that, write {wrap.text} = torch.nn.SyncBatchNorm."
            f"convert_sync_batchnorm({wrap.text}) above."
        )
        if any(not _drops_last(call) for _, call in plan.loaders):
            todo += (
                " A last batch that leaves a process one sample stops it: pass drop_last=True to "
                "the loader, or choose a batch size that leaves more; npu_ddp warns of it."
            )
    return RULE.fixed(file.at(wrap.place), found, done=done, todo=todo, fix=fix)


def _drops_last(call: ast.Call) -> bool:
    return is_literal(keyword_value(call, "drop_last"), True)


def _unwraps(file: File, plans: list[Plan]) -> Diagnoses:
    """Use the model itself where its wrapper would do something else."""
    nodes = dict.fromkeys(
        node for plan in plans for module, node in plan.inner if module is file.module
    )
    for node in nodes:
        around = parent(node)
        shown = file.brief(around if isinstance(around, ast.Attribute) else node)
        fix = file.fix()
        fix.wrap(node, f"{fix.use(DDP)}.unwrap(")
        yield RULE.auto(
            file.at(node),
            f"{shown} is meant for the model, not for its wrapper",
            done="Took the model out of it, so that names and keys of checkpoints stay the same.",
            fix=fix,
        )


def _devices(file: File) -> Diagnoses:
    """Use the NPU of the process where a number is given."""
    for node in file.module.index.of(ast.Constant, ast.JoinedStr, ast.Call):
        fix = file.fix()
        if isinstance(node, ast.Constant):
            match = _DEVICE.fullmatch(node.value) if isinstance(node.value, str) else None
            if match is None or isinstance(parent(node), (ast.Expr, ast.Compare, ast.Dict)):
                continue
            number = "" if match[1] == "0" else match[1]
            quote = '"' if file.text(node)[0] == '"' else "'"
            fix.replace(node, f"f{quote}npu:{{{fix.use(DDP)}.index({number})}}{quote}")
        elif isinstance(node, ast.JoinedStr):
            inner = _number_of(node)
            if inner is None:
                continue
            fix.wrap(inner, f"{fix.use(DDP)}.index(")
        else:
            given = _given_number(file, node) if isinstance(node, ast.Call) else None
            if given is None:
                continue
            fix.wrap(given, f"{fix.use(DDP)}.index(")
        yield RULE.auto(
            file.at(node),
            f"{file.brief(node)} is one NPU for every process",
            done="Each process uses its own; one that is alone uses this one.",
            fix=fix,
        )


def _number_of(node: ast.JoinedStr) -> ast.expr | None:
    """``n`` of ``f'npu:{n}'``."""
    if len(node.values) != 2:
        return None
    first, second = node.values
    if not isinstance(first, ast.Constant) or first.value != "npu:":
        return None
    is_plain = isinstance(second, ast.FormattedValue) and isinstance(
        second.value, (ast.Name, ast.Attribute)
    )
    return second.value if is_plain and isinstance(second, ast.FormattedValue) else None


def _given_number(file: File, call: ast.Call) -> ast.expr | None:
    """The number of an NPU: ``torch.npu.set_device(0)``, ``model.npu(args.gpu)``."""
    if len(call.args) != 1 or call.keywords or is_literal(call.args[0], None):
        return None
    given = call.args[0]
    if not isinstance(given, (ast.Constant, ast.Name, ast.Attribute)):
        return None
    name = file.name(call.func) or ""
    is_method = isinstance(call.func, ast.Attribute) and call.func.attr == "npu"
    if name not in ("torch.npu.set_device", "torch_npu.npu.set_device") and not is_method:
        return None
    values = file.literal(given)
    is_number = values is not None and all(type(value) is int for value in values)
    return given if is_number or "gpu" in file.text(given).lower() else None
