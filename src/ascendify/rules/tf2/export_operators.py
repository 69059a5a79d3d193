"""Models that are saved for others, with operators only an NPU has."""

from __future__ import annotations

from ascendify.rules.kit import CallSite, Diagnoses, File, Rule, Status
from ascendify.rules.kit.tests import outside_tests

RULE = Rule(
    code="TF2-EXPORT-1",
    title="Export models without operators of the NPU",
    why=(
        "A saved model that was built with npu_device.ops.gelu holds the NPU's operator. It loads "
        "only where npu_device is, and no converter knows it."
    ),
    statuses=(Status.MANUAL,),
    before="y = npu_device.ops.gelu(x)\nmodel.save('out')",
)

_OPERATOR = "npu_device.ops.gelu"


@RULE.call("tf2.keras.Model.save", "tf2.saved_model.save")
@outside_tests
def report(site: CallSite) -> Diagnoses:
    """A model is saved in a project that uses the NPU's gelu."""
    if not _uses_operator(site.file):
        return
    yield RULE.manual(
        site,
        f"{site.callee} saves a model of a program that uses {_OPERATOR}",
        todo=(
            "Save the weights here, and export the model in a process that builds it with "
            "tf.nn.gelu and does not open the NPU."
        ),
    )


def _uses_operator(file: File) -> bool:
    project = file.resolver.project
    around = (file.module, *project.imported(file.module), *project.importers(file.path))
    return any(
        any(file.of(module).calls(_OPERATOR))
        for module in around
        if "npu_device" in module.source.text
    )
