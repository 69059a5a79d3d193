"""Parts of CUDA that scripts and Dockerfiles install with the system's package manager."""

from __future__ import annotations

import re

from ascendify.rules.kit import Diagnoses, Rule, Status, TextSite
from ascendify.rules.shell import _script
from ascendify.rules.shell._script import Command, Word

RULE = Rule(
    code="SH-CUDA-2",
    title="Do not install CUDA",
    why=(
        "Packages and installers of CUDA, cuDNN, NCCL and NVIDIA's driver are of no use on an NPU "
        "machine, and without NVIDIA's repositories the installation fails. The NPU's driver is "
        "installed on the server, CANN in the image."
    ),
    statuses=(Status.MANUAL,),
    before="apt-get install -y cuda-toolkit-11-8 libcudnn8",
)

_MANAGERS = frozenset({"apt", "apt-get", "aptitude", "yum", "dnf", "zypper", "dpkg", "rpm", "apk"})
_FETCHES = frozenset({"wget", "curl", "add-apt-repository", "aria2c"})
_PACKAGE = re.compile(
    r"(?:.*/)?(?:cuda|libcu(?:dnn|blas|fft|rand|solver|sparse|da)|libnccl|libnv|nvidia|nsight"
    r"|datacenter-gpu-manager|tensorrt|libnvinfer)[\w.+:*=~$\{\}/-]*",
    re.I,
)
_ADDRESS = re.compile(r"https?://\S*(?:nvidia\.com|nvidia\.github\.io)/\S*", re.I)
_INSTALLER = re.compile(r"(?:.*/)?(?:cuda_|NVIDIA-Linux|cudnn-linux)\S*(?:\.run|\.tgz|\.tar\.xz)?")
_RUNS = frozenset({"sh", "bash", "sudo", "tar", "chmod", "rm"})


@RULE.text("shell")
def report_installation(site: TextSite) -> Diagnoses:
    """Commands that install such packages, or fetch them from NVIDIA."""
    text = site.text.lower()
    if not any(word in text for word in ("cuda", "cudnn", "nccl", "nvidia", "libcu", "libnv")):
        return
    for command in _script.commands(site.text):
        found = _parts(command)
        if found:
            names = " ".join(word.text for word in found)
            yield RULE.manual(
                site.at(found[0].start, found[-1].end),
                f"{command.name} gets {names}, which is for GPUs",
                todo="Leave it out: start from an image with CANN, or install CANN "
                "(Ascend-cann-toolkit and Ascend-cann-kernels) in its place.",
                cause="installation of CUDA",
            )


def _parts(command: Command) -> list[Word]:
    """The words of a command that name parts of CUDA."""
    words = command.rest[1:] if command.name != "sudo" else command.rest[2:]
    name = command.name
    if name == "sudo" and len(command.rest) > 1:
        name = command.rest[1].value.rpartition("/")[2]
    if name in _MANAGERS:
        return [word for word in words if _PACKAGE.fullmatch(word.value)]
    if name in _FETCHES:
        return [word for word in words if _ADDRESS.search(word.value)]
    if name in _RUNS:
        return [word for word in words if _INSTALLER.fullmatch(word.value)]
    return []
