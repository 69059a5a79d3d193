"""Divide the samples of a training loader among the processes."""

from __future__ import annotations

import ast

from ascendify.rules.helpers import DDP
from ascendify.rules.kit import Diagnoses, File, Rule, Status
from ascendify.rules.torch import _ddp, _ddp_data
from ascendify.source.nodes import function_around, is_called
from ascendify.source.scopes import parent

RULE = Rule(
    code="TORCH-DIST-12",
    title="Give each process its part of the training data",
    why=(
        "Processes that read the same samples compute the same gradients, and train no faster "
        "than one. npu_ddp.share() gives each a part of the order that the loader's own sampler "
        "draws, so that shuffle, drop_last, weights and subsets mean what they meant, the order is "
        "new in each epoch without set_epoch(), and two processes with half of the batch train on "
        "the batches of one."
    ),
    statuses=(Status.AUTO, Status.AUTO_CHECK),
    before=(
        "loader = torch.utils.data.DataLoader(dataset, batch_size=64, shuffle=True)\n"
        "for x in loader:\n    optimizer.zero_grad()\n    model(x).mean().backward()\n"
        "    optimizer.step()"
    ),
    after=(
        "loader = npu_ddp.share(torch.utils.data.DataLoader(dataset, batch_size=64, shuffle=True))"
        "\nfor x in loader:\n    optimizer.zero_grad()\n    model(x).mean().backward()\n"
        "    optimizer.step()"
    ),
    safety="With one process the loader stays as it is. Loaders for tests are not divided.",
    last=True,
    requested=_ddp.is_requested,
)


@RULE.file
def share(file: File) -> Diagnoses:
    """Share the loaders that training reads from; count the samples of a process."""
    plans = _ddp.plans(file)
    calls = dict.fromkeys(
        call for plan in plans for module, call in plan.loaders if module is file.module
    )
    for call in calls:
        fix = file.fix()
        helper = fix.use(DDP)
        stream = ", stream=True" if _ddp_data.is_stream(file, call) else ""
        fix.wrap(call, f"{helper}.share(", f"{stream})")
        todo = ""
        if "download=True" in file.module.source.text:
            todo = (
                "Download the data before several processes are started: all of them would do so "
                "at the same time."
            )
        yield RULE.fixed(
            file.at(call),
            f"{file.brief(call.func)} gives every process all samples",
            done=f"Divided its samples among the processes, by {helper}.share().",
            todo=todo,
            fix=fix,
        )
    steps = dict.fromkeys(
        step for plan in plans for step in plan.steps if step.module is file.module
    )
    for node in file.module.index.of(ast.Attribute):
        counting = _counting(file, node)
        if counting is not None and any(
            function_around(node) is step.function and _ddp_data.is_read(file, node.value, step)
            for step in steps
        ):
            fix = file.fix()
            fix.replace(counting, f"{fix.use(DDP)}.samples({file.text(node.value)})")
            yield RULE.auto(
                file.at(counting),
                f"{file.brief(counting)} counts the samples of all processes",
                done="Counted those of the process, which its figures are sums over.",
                fix=fix,
            )


def _counting(file: File, node: ast.Attribute) -> ast.Call | None:
    """``len(loader.dataset)`` for the attribute in it."""
    around = parent(node)
    if node.attr != "dataset" or not isinstance(around, ast.Call) or is_called(node):
        return None
    return around if file.name(around.func) == "builtins.len" else None
