"""Report images that are decoded on a GPU."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, Rule, Status
from ascendify.source.nodes import given_value

RULE = Rule(
    code="TORCH-DATA-3",
    title="Decode images on the CPU",
    why=(
        "torchvision decodes JPEG files on the CPU or with a library for GPUs, and never on an "
        "NPU, whatever device is passed."
    ),
    statuses=(Status.MANUAL,),
    before="image = torchvision.io.decode_jpeg(data, device='cuda')",
)


@RULE.call("torchvision.io.decode_jpeg", "torchvision.io.decode_jpegs")
def report_device(site: CallSite) -> Diagnoses:
    """Report a call that passes another device than the CPU."""
    device = given_value(site.node, "device", 2)
    if device is None or (isinstance(device, ast.Constant) and device.value == "cpu"):
        return
    yield RULE.manual(
        site,
        f"{site.brief} decodes on a GPU",
        todo="Remove the device, and move the image with .npu() in the main process.",
    )
