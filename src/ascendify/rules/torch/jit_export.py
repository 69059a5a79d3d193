"""Exporting models: from the CPU to ONNX, and torch.export not at all."""

from __future__ import annotations

from ascendify.rules.kit import CallSite, Diagnoses, Rule, Status

RULE = Rule(
    code="TORCH-JIT-4",
    title="Export models from the CPU",
    why=(
        "Exporters look at the operators a model runs. Those the NPU puts in their place have no "
        "meaning in ONNX, and torch.export is listed as unsupported on an NPU. A model on the CPU "
        "gives the same file."
    ),
    statuses=(Status.INFO, Status.MANUAL),
    before='torch.onnx.export(model, x, "model.onnx")',
)
_ONNX = ("torch.onnx.export", "torch.onnx.dynamo_export")
_EXPORT = ("torch.export.export", "torch.export.load", "torch.export.save",
           "torch.export.export_for_training")  # fmt: skip


@RULE.call(*_ONNX)
def onnx(site: CallSite) -> Diagnoses:
    """Fine from the CPU."""
    yield RULE.info(
        site,
        f"{site.callee} exports a model",
        todo=(
            "Move model and inputs to the CPU before: model.cpu(), x.cpu(). Operators of torch_npu "
            "in the model are exported with the wrappers of torch_npu.onnx."
        ),
    )


@RULE.call(*_EXPORT)
def export(site: CallSite) -> Diagnoses:
    """Not supported on the device."""
    yield RULE.manual(
        site,
        f"{site.callee} is not supported on an NPU",
        todo="Run it with model and inputs on the CPU, in a script of its own.",
    )
