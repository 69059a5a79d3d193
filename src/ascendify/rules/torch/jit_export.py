"""Note exports to ONNX, and report torch.export, which NPUs do not support."""

from __future__ import annotations

from ascendify.rules.kit import CallSite, Diagnoses, Rule, Status

RULE = Rule(
    code="TORCH-JIT-4",
    title="Export models from the CPU",
    why=(
        "Exporters record the operators that a model runs. ONNX has no operators of the NPU, and "
        "torch.export is listed as unsupported on an NPU. Exporting the model from the CPU has the "
        "same result."
    ),
    statuses=(Status.INFO, Status.MANUAL),
    before='torch.onnx.export(model, x, "model.onnx")',
)
_ONNX = ("torch.onnx.export", "torch.onnx.dynamo_export")
_EXPORT = ("torch.export.export", "torch.export.load", "torch.export.save",
           "torch.export.export_for_training")  # fmt: skip


@RULE.call(*_ONNX)
def note_onnx(site: CallSite) -> Diagnoses:
    """Note an export to ONNX, which works from the CPU."""
    yield RULE.info(
        site,
        f"{site.callee} exports a model",
        todo=(
            "Move model and inputs to the CPU first: model.cpu(), x.cpu(). For operators of "
            "torch_npu in the model use the wrappers of torch_npu.onnx."
        ),
    )


@RULE.call(*_EXPORT)
def report_export(site: CallSite) -> Diagnoses:
    """Report torch.export, which is not supported on an NPU."""
    yield RULE.manual(
        site,
        f"{site.callee} is not supported on an NPU",
        todo="Run it with model and inputs on the CPU, in a separate script.",
    )
