"""Replace apex.amp by autocast and a GradScaler, or report how to do it by hand."""

from __future__ import annotations

import ast

from ascendify.catalog import replacements
from ascendify.rules.kit import CallSite, Diagnoses, Effort, File, Rule, Site, Status
from ascendify.rules.torch import _apex_loop
from ascendify.source.nodes import is_called
from ascendify.source.scopes import statement

RULE = Rule(
    code="TORCH-APEX-4",
    title="Replace apex.amp by autocast and a GradScaler",
    why=(
        "apex.amp patches torch for CUDA. Only an old build of apex by the vendor supports NPUs; "
        "torch.npu.amp does the same with functions of torch itself."
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
        "With O2 apex kept the model in float16 and a copy of its weights in float32; with "
        "autocast the weights are float32 and each operator chooses its type. Losses agree within "
        "the precision of float16; the memory that is used differs."
    ),
)


_CONVERTED = ("initialize", "scale_loss", "master_params")


@RULE.file
def convert(file: File) -> Diagnoses:
    """Rewrite the one training loop of a file, where nothing else uses apex.amp."""
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
        loop.site,
        f"{loop.site.brief} trains in mixed precision{level} with apex",
        done=(
            f"Replaced it by autocast around lines {loop.region[0].lineno} to "
            f"{loop.region[-1].end_lineno} and a GradScaler for {loop.optimizer}."
        ),
        todo=(
            "Check that autocast covers the whole forward pass and the loss, and nothing else, and "
            f"compare the first losses with those of float32.{unread}"
        ),
        fix=fix,
    )


@RULE.call(*(f"apex.amp.{name}" for name in _CONVERTED))
def report_call(site: CallSite) -> Diagnoses:
    """Report one part of a loop that was not rewritten, with what to do in the file's own names."""
    file = site.file
    if _apex_loop.find(file) is not None:
        return
    block = statement(site.node)
    if site.name.endswith(".initialize"):
        found, todo = "sets up mixed precision with apex", _setup_steps(site)
    elif site.name.endswith(".scale_loss"):
        found = "scales the loss with apex"
        todo = (
            f"Write scaler.scale({_shown(site, 'loss', 'loss')}).backward() instead of the block "
            f"from line {block.lineno} to {block.end_lineno}."
        )
    else:
        optimizer = file.brief(site.node.args[0], 40) if site.node.args else "optimizer"
        found = "returns the float32 copies of the parameters that apex keeps"
        todo = (
            f"Call scaler.unscale_({optimizer}) before {file.brief(block, 60)}, and use the "
            "model's parameters() there instead."
        )
    effort = Effort.HOURS if site.name.endswith(".initialize") else Effort.MINUTES
    yield RULE.manual(site, f"{site.brief} {found}", todo=todo, effort=effort)


def _setup_steps(site: CallSite) -> str:
    """Describe the changes to the whole training loop."""
    file = site.file
    model, optimizer = _shown(site, "models", "model"), _shown(site, "optimizers", "")
    if not optimizer:
        return (
            f"Remove it: {model} stays in float32; run it under "
            "with torch.npu.amp.autocast(), or call .half() on it and on its inputs."
        )
    last = optimizer.rpartition(".")[2]
    updates = [
        f"On line {call.lineno} write scaler.step({file.text(func.value)}); scaler.update() for "
        f"{file.brief(call)}."
        for call in file.module.index.calls_by_name.get("step", ())
        if isinstance(func := call.func, ast.Attribute)
        and file.text(func.value).rpartition(".")[2] == last
    ]
    return " ".join(
        (
            f"Replace it by scaler = {_apex_loop.scaler(site)}; compute {model}(...) and the loss "
            "inside with torch.npu.amp.autocast(), and pass scaler to where the loss is scaled.",
            *updates,
            "Where amp.state_dict() was saved, save scaler.state_dict().",
        )
    )


def _shown(site: CallSite, parameter: str, default: str) -> str:
    value = site.args.value(parameter)
    return default if value is None else site.file.brief(value, 40)


@RULE.reference("apex.amp.*")
def report_other(site: Site) -> Diagnoses:
    """Report all other functions of the module, and functions that are passed on."""
    last = site.name.rpartition(".")[2]
    if (last in _CONVERTED and is_called(site.node)) or _apex_loop.find(site.file) is not None:
        return
    if last.startswith("register_") or last.endswith("_function"):
        todo = (
            "Remove it: autocast has its own lists; inside a function that needs one type, convert "
            "with x.half() or x.float()."
        )
    else:
        known = replacements.texts("apex-amp")
        todo = known.get(last, "Remove it; torch.npu.amp has autocast and GradScaler.")
    yield RULE.manual(site, f"{site.text} is part of apex", todo=todo)
