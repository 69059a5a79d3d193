"""Images decoded on a GPU."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, Rule, Status
from ascendify.source.nodes import keyword_value

RULE = Rule(
    code="TORCH-DATA-3",
    title="Decode images on the CPU",
    why=(
        "torchvision decodes JPEG files on the CPU or with the library of a GPU; NPUs have no part "
        "in it, whatever device is named."
    ),
    statuses=(Status.MANUAL,),
    before="image = torchvision.io.decode_jpeg(data, device='cuda')",
)


@RULE.call("torchvision.io.decode_jpeg", "torchvision.io.decode_jpegs")
def tell(site: CallSite) -> Diagnoses:
    """Decoding that asks for another device than the CPU."""
    device = keyword_value(site.node, "device")
    if device is None and len(site.node.args) > 2:
        device = site.node.args[2]
    if device is None or (isinstance(device, ast.Constant) and device.value == "cpu"):
        return
    yield RULE.manual(
        site,
        f"{site.brief} decodes on a GPU",
        todo="Leave out the device, and move the image with .npu() in the main process.",
    )
