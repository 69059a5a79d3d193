"""Replace optimizers of torch by those of torch_npu that update all parameters at once."""

from __future__ import annotations

from ascendify.rules.kit import Argument, CallSite, Diagnoses, File, Rule, Status
from ascendify.rules.torch import _fused_optimizers, _tune
from ascendify.rules.torch._fused_optimizers import FUSED
from ascendify.source.nodes import is_literal, receiver

RULE = Rule(
    code="TORCH-TUNE-1",
    title="Update all parameters at once with the optimizers of torch_npu",
    why=(
        "A fused optimizer keeps all parameters, gradients and moments in one block of memory "
        "each and updates it with a few operators, instead of some for every tensor; the host "
        "has less to launch. The update is that of torch's optimizer. Four of five models that "
        "people have migrated to NPUs by hand use one. torch.nn.utils.clip_grad_norm_ stays: it "
        "clips the same gradients, while clip_grad_norm_fused_ reads their norm on the host in "
        "every step. Source: the pages on torch_npu.optim in the API reference of the vendor."
    ),
    statuses=(Status.AUTO, Status.AUTO_CHECK, Status.INFO),
    before=(
        "optimizer = torch.optim.AdamW(model.parameters(), lr=lr, foreach=True)\n"
        "loss = model(x).sum()\n"
        "optimizer.zero_grad(set_to_none=True)"
    ),
    after=(
        "optimizer = torch_npu.optim.NpuFusedAdamW(model.parameters(), lr=lr)\n"
        "loss = model(x).sum()\n"
        "optimizer.zero_grad()"
    ),
    safety=(
        "A fused optimizer needs an NPU, parameters in float32 or float16 that keep their place in "
        "memory, and a gradient for each parameter in each step: it clears gradients to zero and "
        "never to None, so a parameter without one still decays and moves with its momentum. "
        "What the text shows of that is checked; a run with --strict shows the rest."
    ),
)
_TODO = (
    "Every parameter must get its gradient in every step, from the first one on; a parameter that "
    "a step leaves out would be updated with a gradient of zero. Training then needs an NPU."
)


@RULE.call(*FUSED)
def replace_optimizer(site: CallSite) -> Diagnoses:
    """Call the class of torch_npu, without the arguments that change no number."""
    name = FUSED[site.name]
    found = f"torch_npu.optim.{name} updates all parameters at once, {site.callee} one by one"
    reason = _fused_optimizers.conflict(site)
    if reason:
        yield _tune.leave(RULE, site.file, site.node, found, reason)
        return
    fix = site.fix()
    fix.replace(site.node.func, f"{fix.use('torch_npu')}.optim.{name}")
    fix.remove_arguments(site.node, _fused_optimizers.superfluous(site))
    yield _tune.rewrite_or_note(
        RULE,
        site.file,
        site.node,
        found,
        done=f"Replaced it by torch_npu.optim.{name}.",
        todo=_TODO,
        fix=fix,
    )


@RULE.file
def keep_gradients(file: File) -> Diagnoses:
    """Remove ``set_to_none=True``, the default since PyTorch 2.0, which fused optimizers refuse."""
    if not file.facts.tune:
        return
    calls = [
        (call, keyword)
        for call in file.module.index.calls_by_name.get("zero_grad", ())
        for keyword in call.keywords
        if keyword.arg == "set_to_none" and is_literal(keyword.value, True)
    ]
    if not calls or not _fused_optimizers.is_used(file):
        return
    for call, keyword in calls:
        owner = receiver(call)
        if owner is None or (file.kind(owner) or "").startswith("torch_npu."):
            continue
        fix = file.fix()
        fix.remove_arguments(call, [Argument("set_to_none", keyword.value, keyword)])
        yield RULE.auto(
            file.at(call),
            f"{file.brief(call)} says what is the default, and fused optimizers refuse it",
            done="Removed set_to_none=True.",
            fix=fix,
        )
