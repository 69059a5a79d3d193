"""torch.compile: which backends an NPU has."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, Diagnosis, Rule, Site, Status
from ascendify.rules.torch import _edits
from ascendify.source.scopes import parent

RULE = Rule(
    code="TORCH-JIT-1",
    title="Compile with a backend an NPU has",
    why=(
        "On an NPU torch.compile has the backends inductor (which needs triton-ascend), npugraphs, "
        "npugraph_ex, and torchair's; cudagraphs is not among them. Support came with torch_npu "
        "for torch 2.6."
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
def compiled(site: CallSite) -> Diagnoses:
    """By the backend that is asked for."""
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
    yield _told(site, site.args.value("mode"))


@RULE.reference("torch.compile")
def decorator(site: Site) -> Diagnoses:
    """``@torch.compile`` without arguments."""
    if site.node in getattr(parent(site.node), "decorator_list", ()):
        yield _told(site, None)


def _told(site: Site, mode: ast.expr | None) -> Diagnosis:
    file = site.file
    modes = None if mode is None else file.literal(mode)
    extra = ""
    if modes is not None and any(item in _GPU_MODES for item in modes):
        extra = (
            f" The mode {file.brief(mode)} records CUDA graphs: for its effect use "
            'backend="npugraphs".'
            if mode is not None
            else ""
        )
    return RULE.manual(
        site,
        f"{site.brief} compiles with inductor, which writes Triton kernels",
        todo=(
            "Install triton-ascend, which gives inductor on an NPU its Triton; or pass "
            'backend="npugraphs", which does without; or leave the model uncompiled for a first '
            "run." + extra
        ),
    )
