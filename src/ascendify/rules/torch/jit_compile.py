"""Choose a backend of torch.compile that works on an NPU."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, Diagnosis, Rule, Site, Status
from ascendify.rules.torch import _edits
from ascendify.source.scopes import parent

RULE = Rule(
    code="TORCH-JIT-1",
    title="Compile with a backend that works on an NPU",
    why=(
        "On an NPU torch.compile has the backends inductor (which needs triton-ascend), npugraphs, "
        "npugraph_ex, and torchair's, but not cudagraphs. torch_npu supports it since torch 2.6."
    ),
    statuses=(Status.AUTO, Status.MANUAL),
    before='model = torch.compile(model, backend="cudagraphs")',
    after='model = torch.compile(model, backend="npugraphs")',
)

_GRAPHS = {"cudagraphs": "npugraphs"}
_KNOWN = ("npugraphs", "npugraph_ex", "npu", "aot_eager", "eager")
_GPU_MODES = ("reduce-overhead", "max-autotune")
"""Modes that record CUDA graphs or tune GPU kernels."""


@RULE.call("torch.compile")
def change_backend(site: CallSite) -> Diagnoses:
    """Replace the backend cudagraphs; report backends that write Triton kernels."""
    backend = site.args.value("backend")
    literals = [] if backend is None else list(_edits.strings(backend))
    graphs = [item for item in literals if item.value in _GRAPHS]
    if graphs:
        fix = site.fix()
        for item in graphs:
            _edits.replace_word(fix, item, "cudagraphs", "npugraphs")
        found = f"{site.brief} records CUDA graphs"
        done = "Replaced the backend by npugraphs, which records NPU graphs."
        yield RULE.auto(site, found, done=done, fix=fix)
        return
    if literals and all(item.value in _KNOWN for item in literals):
        return
    yield _manual(site, site.args.value("mode"))


@RULE.reference("torch.compile")
def report_decorator(site: Site) -> Diagnoses:
    """Report ``@torch.compile`` without arguments."""
    if site.node in getattr(parent(site.node), "decorator_list", ()):
        yield _manual(site, None)


def _manual(site: Site, mode: ast.expr | None) -> Diagnosis:
    modes = () if mode is None else site.file.literal(mode) or ()
    extra = ""
    if mode is not None and any(item in _GPU_MODES for item in modes):
        extra = (
            f" The mode {site.file.brief(mode)} records CUDA graphs: for the same effect use "
            'backend="npugraphs".'
        )
    return RULE.manual(
        site,
        f"{site.brief} compiles with inductor, which writes Triton kernels",
        todo=(
            "Install triton-ascend, which inductor needs on an NPU; or pass "
            'backend="npugraphs", which does not need it; or do not compile the model in the first '
            "run." + extra
        ),
        cause=f"inductor{extra}",
    )
