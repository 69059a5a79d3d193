"""Dockerfiles built on images for GPUs: report them."""

from __future__ import annotations

import re

from ascendify.catalog.cuda_packages import TENSORFLOW2_RELEASE
from ascendify.rules.kit import Diagnoses, Diagnosis, Effort, Rule, Status, TextSite
from ascendify.rules.shell import _script
from ascendify.source.entries import read

RULE = Rule(
    code="REQ-3",
    title="Build containers on an NPU image",
    why=(
        "Images of NVIDIA and the GPU images of TensorFlow and PyTorch carry CUDA and builds that "
        "need it; an NPU container needs CANN and the NPU's adapter for the framework."
    ),
    statuses=(Status.MANUAL,),
    before="FROM nvcr.io/nvidia/tensorflow:20.06-tf1-py3",
)

_FROM = re.compile(r"^[ \t]*(?:FROM(?:[ \t]+--\S+)*[ \t]+|ARG[ \t]+\w*IMAGE\w*=)(\S+)", re.I | re.M)
_GPU_IMAGE = re.compile(
    r"(?:nvcr\.io/)?nvidia/\S+|tensorflow/tensorflow:\S*gpu\S*|horovod/horovod\S*|\S*[-:_/]cuda[\d.-]\S*"
    r"|\S+:\S*[-_.]?cu1[0-9]{2}(?!\d)\S*|\S+:(?:\S*[-_])?(?:gpu|cuda)(?:[-_]\S*)?",
    re.I,
)
_IMAGE_NAME = re.compile(r"IMAGE|CONTAINER", re.I)
_IMAGE_PREFIX = re.compile(r"^(?:--(?:container-)?image=|docker://|dockerd://|\w+=)+")
_STARTERS = frozenset({"docker", "podman", "singularity", "apptainer", "enroot", "srun"})
_HAS_IMAGE = re.compile(r"(?:[Ii]mage|IMAGE|[Cc]ontainer)[\w-]*[\"']?[ \t]*[:=]")
_IMAGE_KEY = re.compile(r"(?:.*[_-])?(?:image|container)(?:[_-]?name)?", re.I)

_IMAGES = {
    "tensorflow": "Start from an image with CANN, its tfplugin, Python 3.7 and TensorFlow 1.15.0 "
    "(such as ascend-tensorflow).",
    "tensorflow2": "Start from an image with CANN, its tfplugin and TensorFlow "
    f"{TENSORFLOW2_RELEASE} with npu_device.",
    "torch": "Start from an image with CANN, the CPU build of PyTorch and torch_npu (such as "
    "ascendai/pytorch), or from one with CANN (ascendai/cann), and install torch and torch-npu of "
    "one release.",
}


def _framework(site: TextSite, image: str) -> str:
    """The framework that an image is for, by its name, or else that of the project."""
    if re.search(r"tensorflow:(?:2\.|\S*-tf2-)", image):
        return "tensorflow2"
    names = {"tensorflow": "tensorflow", "horovod": "tensorflow", "torch": "torch"}
    found = (names[name] for name in names if name in image.lower())
    return next(found, site.facts.framework)


@RULE.text("docker")
def report_image(site: TextSite) -> Diagnoses:
    """The image a Dockerfile starts from."""
    for match in _FROM.finditer(site.text):
        image = match[1].strip("'\"")
        if _GPU_IMAGE.fullmatch(image):
            yield _report(site, image, match.start(1), match.end(1), Effort.HOURS)


@RULE.text("config")
def report_used_image(site: TextSite) -> Diagnoses:
    """The image of a manifest, a compose file, a workflow or a development container."""
    if _HAS_IMAGE.search(site.text) is None:
        return
    for entry in read(site.path, site.text):
        if _IMAGE_KEY.fullmatch(entry.name) and _GPU_IMAGE.fullmatch(entry.value):
            yield _report(site, entry.value, entry.start, entry.end, Effort.MINUTES)


@RULE.text("shell")
def report_started_image(site: TextSite) -> Diagnoses:
    """The image that a command starts, pulls or builds on, and one that a variable holds."""
    for command in _script.commands(site.text):
        words = [item.value for item in command.assignments if _IMAGE_NAME.search(item.name)]
        if command.name in _STARTERS:
            words += command.rest[1:]
        for word in words:
            image = _IMAGE_PREFIX.sub("", word.value).replace("#", "/", 1)
            if _GPU_IMAGE.fullmatch(image):
                yield _report(site, image, word.start, word.end, Effort.MINUTES)


def _report(site: TextSite, image: str, start: int, end: int, effort: Effort) -> Diagnosis:
    return RULE.manual(
        site.at(start, end),
        f"{image} is an image for GPUs",
        todo=_IMAGES[_framework(site, image)] + " Install the other packages in it.",
        effort=effort,
        cause=image if site.kind == "config" else "",
    )
