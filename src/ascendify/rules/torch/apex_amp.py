"""apex.amp: autocast and a GradScaler take its place, by hand where the pieces lie apart."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ascendify.rules.kit import CallSite, Diagnoses, Effort, File, Rule, Site, Status
from ascendify.rules.torch import _apex_loop
from ascendify.source.scopes import statement

RULE = Rule(
    code="TORCH-APEX-4",
    title="Replace apex.amp by autocast and a GradScaler",
    why=(
        "apex.amp patches torch for CUDA. Only an old build of apex by the vendor knows NPUs; "
        "torch.npu.amp does the same with what torch itself offers."
    ),
    statuses=(Status.AUTO_CHECK, Status.MANUAL),
    before=(
        "model, optimizer = amp.initialize(model, optimizer, opt_level='O1')\n"
        "for x, y in loader:\n"
        "    loss = criterion(model(x), y)\n"
        "    with amp.scale_loss(loss, optimizer) as scaled_loss:\n"
        "        scaled_loss.backward()\n"
        "    optimizer.step()"
    ),
    after=(
        "scaler = torch.npu.amp.GradScaler()\n"
        "for x, y in loader:\n"
        "    with torch.npu.amp.autocast():\n"
        "        loss = criterion(model(x), y)\n"
        "    scaler.scale(loss).backward()\n"
        "    scaler.step(optimizer)\n"
        "    scaler.update()"
    ),
    safety=(
        "With O2 apex kept the model itself in float16 and its weights a second time in float32; "
        "under autocast the weights are float32 and the operators choose. Losses agree as far as "
        "float16 allows, memory does not."
    ),
)


@RULE.file
def convert(file: File) -> Diagnoses:
    """Where one training loop has all pieces in one place, and nothing else uses apex.amp."""
    loop = _apex_loop.find(file)
    if loop is None:
        return
    fix = file.fix()
    _apex_loop.rewrite(file, fix, loop)
    level = f" at {loop.level}" if loop.level else ""
    option = loop.site.args.value("opt_level")
    unread = (
        f" {file.brief(option)} is no longer read: autocast does what O1 does."
        if isinstance(option, ast.Attribute)
        else ""
    )
    yield RULE.auto_check(
        file.at(loop.site.node),
        f"{file.brief(loop.site.node)} trains in mixed precision{level} with apex",
        done=(
            f"Replaced it by autocast around line {loop.region[0].lineno} to "
            f"{loop.region[-1].end_lineno} and a GradScaler for {loop.optimizer}."
        ),
        todo=(
            "Check that all of the forward pass and the loss, and nothing else, stands under "
            f"autocast, and compare the first losses with those of float32.{unread}"
        ),
        fix=fix,
    )


@RULE.call("apex.amp.initialize")
def initialize(site: CallSite) -> Diagnoses:
    """The whole recipe, in the names this file uses."""
    file = site.file
    if _apex_loop.find(file) is not None:
        return
    model = _shown(site, "models", "model")
    optimizer = _shown(site, "optimizers", "")
    steps = []
    if not optimizer:
        todo = (
            f"Leave it out: {model} stays in float32; run it under "
            "with torch.npu.amp.autocast(), or call .half() on it and on its inputs."
        )
    else:
        steps.append(
            f"Replace it by scaler = {_apex_loop.scaler(site)}; compute {model}(...) and the loss "
            "inside with torch.npu.amp.autocast(), and hand scaler to where the loss is scaled."
        )
        steps.extend(_loop_steps(file, optimizer))
        steps.append("Where amp.state_dict() was saved, save scaler.state_dict().")
        todo = " ".join(steps)
    yield RULE.manual(
        site, f"{site.brief} sets up mixed precision with apex", todo=todo, effort=Effort.HOURS
    )


def _shown(site: CallSite, parameter: str, default: str) -> str:
    value = site.args.value(parameter)
    return default if value is None else site.file.brief(value, 40)


def _loop_steps(file: File, optimizer: str) -> Iterator[str]:
    last = optimizer.rpartition(".")[2]
    for call in file.module.index.calls_by_name.get("step", ()):
        func = call.func
        if isinstance(func, ast.Attribute) and file.text(func.value).rpartition(".")[2] == last:
            text = file.text(func.value)
            yield (
                f"On line {call.lineno} write scaler.step({text}); scaler.update() for "
                f"{file.brief(call)}."
            )


@RULE.call("apex.amp.scale_loss")
def scale_loss(site: CallSite) -> Diagnoses:
    """What becomes of the block that scales the loss."""
    file = site.file
    if _apex_loop.find(file) is not None:
        return
    loss = _shown(site, "loss", "loss")
    around = statement(site.node)
    block = f"the block from line {around.lineno} to {around.end_lineno}"
    yield RULE.manual(
        site,
        f"{site.brief} scales the loss with apex",
        todo=f"Write scaler.scale({loss}).backward() in the place of {block}.",
    )


@RULE.call("apex.amp.master_params")
def master_params(site: CallSite) -> Diagnoses:
    """Clipping needs the gradients as they are."""
    file = site.file
    if _apex_loop.find(file) is not None:
        return
    optimizer = file.brief(site.node.args[0], 40) if site.node.args else "optimizer"
    yield RULE.manual(
        site,
        f"{site.brief} gives the float32 copies that apex keeps",
        todo=(
            f"Call scaler.unscale_({optimizer}) before {file.brief(statement(site.node), 60)}, and "
            "give it the model's parameters() instead."
        ),
    )


_REST = {
    "state_dict": "Save scaler.state_dict() instead.",
    "load_state_dict": (
        "Leave it out for checkpoints written with apex; for new ones call "
        "scaler.load_state_dict(...)."
    ),
    "init": "Leave it out, and run the forward pass under with torch.npu.amp.autocast().",
    "disable_casts": "Write with torch.npu.amp.autocast(enabled=False).",
}


@RULE.reference("apex.amp.*")
def rest(site: Site) -> Diagnoses:
    """All other functions of the module."""
    last = site.name.rpartition(".")[2]
    if last in ("initialize", "scale_loss", "master_params"):
        around = site.parent
        if isinstance(around, ast.Call) and around.func is site.node:
            return
    if _apex_loop.find(site.file) is not None:
        return
    if last.startswith("register_") or last.endswith("_function"):
        todo = (
            "Leave it out: autocast has lists of its own; convert by hand (x.half(), x.float()) "
            "inside a function that needs one type."
        )
    else:
        todo = _REST.get(last, "Do without it; torch.npu.amp has autocast and GradScaler.")
    yield RULE.manual(site, f"{site.text} is part of apex", todo=todo)
