"""Replace devices and backends in configuration files: YAML, JSON, TOML, INI."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ascendify.catalog import advice, cuda_packages, names, torch_npu
from ascendify.rules.kit import Changes, Diagnoses, Diagnosis, Effort, Rule, Status, TextSite
from ascendify.source.edits import Edit
from ascendify.source.entries import ConfigEntry, read

RULE = Rule(
    code="TORCH-CFG-1",
    title="Name NPU devices and the hccl backend in configuration files",
    why=(
        "A program that reads its device or backend from a file uses what the file says: with cuda "
        "or nccl it fails on an NPU machine, or silently trains on the CPU."
    ),
    statuses=(Status.AUTO, Status.MANUAL),
    before="device: cuda:0\ndist_backend: nccl",
    after="device: npu:0\ndist_backend: hccl",
    framework="torch",
)

_DEVICE_KEY = re.compile(
    r"(?:.*[._/-])?(?:devices?|map[_-]location|device[_-]?(?:type|name))", re.I
)
_BACKEND_KEY = re.compile(r"(?:.*[._/-])?backend(?:[_-]?name)?", re.I)
_DEVICE = re.compile(r"cuda(:(?:\d+|\$\{[^{}]*\}|\{\w+\}))?")
"""A device: ``cuda``, ``cuda:1``, ``cuda:${rank}``."""
_DEFAULT = re.compile(r"\$\{[\w.]+:[^{}]*,[ ]*(['\"]?)((?:cuda|nccl)(?::\d+)?)\1[ ]*\}")
"""An interpolation with a default: ``${oc.env:DEVICE,cuda}``."""
_OVERRIDE = re.compile(r"\+{0,2}([A-Za-z_][\w./-]*)=(\S+)")
"""An override in a list: ``trainer.device=cuda``."""
_NAME = re.compile(r"[A-Za-z_]\w*(?:\.\w+)+")
_EXACT = {("distributed_type", "MULTI_GPU"): "MULTI_NPU"}
"""Entries of accelerate's configuration file."""
_REPORTED = {
    ("accelerator", "gpu"): "lightning-accelerator",
    ("accelerator", "cuda"): "lightning-accelerator",
    ("dynamo_backend", "inductor"): "inductor",
}
"""Choices that no word replaces, and what to do about them."""
_GENERIC = frozenset({"value", "values", "choices", "default", "enum", "options", "distribution"})
"""Keys below which stand values of the key above them."""
_WORDS = ("INDUCTOR", "inductor", "cuda", "nccl", "gpu", "GPU", "target", "class_path")
"""A file without any of these has nothing for this rule."""
_TORCH_CUDA = "torch.cuda."
_TOOL_FILES = re.compile(r"(?:^|/)(?:pyproject\.toml|setup\.cfg|Pipfile|pixi\.toml)$")
"""Files of package tools, in which names of packages and features stand."""


@dataclass(frozen=True)
class _Setting:
    """A key with its value, of an entry or of an override inside one."""

    key: str
    value: str
    start: int


@RULE.text("config")
def replace_values(site: TextSite) -> Diagnoses:
    """Replace values whose key says device or backend; report cuda and nccl under other keys."""
    if not any(word in site.text for word in _WORDS):
        return
    for entry in read(site.path, site.text):
        if entry.quote in ("|", ">"):
            continue
        for setting in _settings(entry):
            diagnosis = _about(site, setting)
            if diagnosis is not None:
                yield diagnosis


def _settings(entry: ConfigEntry) -> Iterator[_Setting]:
    """The setting that an entry is, or the override that it holds."""
    override = _OVERRIDE.fullmatch(entry.value)
    if override is not None:
        yield _Setting(override[1], override[2], entry.start + override.start(2))
        return
    named = [key for key in entry.keys if isinstance(key, str)] or [""]
    key = named[-1]
    if key.lower() in _GENERIC and len(named) > 1:
        key = named[-2]
    yield _Setting(key, entry.value, entry.start)


def _about(site: TextSite, item: _Setting) -> Diagnosis | None:
    place = site.at(item.start, item.start + len(item.value))
    if _NAME.fullmatch(item.value):
        return _about_name(site, item)
    default = _DEFAULT.fullmatch(item.value)
    start = item.start + (default.start(2) if default else 0)
    value = default[2] if default else item.value
    if site.facts.style == "transfer" and _is_gpu(value):
        # the program keeps its names of devices, so its configuration does too
        return None
    new = _translated(item.key, value)
    if new is not None:
        return RULE.auto(
            place,
            f"{item.key} is {item.value}, which an NPU machine does not have",
            done=f"Replaced it by {new}.",
            fix=Changes([Edit(start, start + len(value), new)]),
        )
    reported = _REPORTED.get((item.key.rpartition(".")[2].lower(), value.lower()))
    if reported is not None:
        return RULE.manual(
            place,
            f"{item.key} is {item.value}",
            todo=advice.text(reported),
            effort=Effort.HOURS,
            raises=True,
        )
    if _is_gpu(value) and not _TOOL_FILES.search(site.path):
        return RULE.manual(
            place,
            f"{item.key} is {item.value}",
            todo=f"If the program uses it as a device or a backend, write {_npu(value)}.",
        )
    return None


def _about_name(site: TextSite, item: _Setting) -> Diagnosis | None:
    """A dotted name that a program imports, such as that of Hydra's ``_target_``."""
    place = site.at(item.start, item.start + len(item.value))
    found = f"{item.key} is {item.value}"
    if item.value.startswith(_TORCH_CUDA):
        target = torch_npu.counterpart(names.canonical(item.value))
        if site.facts.style == "transfer":
            return None
        if target is None:
            return RULE.manual(
                place,
                f"{found}, which exists for GPUs only",
                todo=f"`ascendify api {item.value}` says what to use instead.",
            )
        # torch.npu is known by this name only where torch_npu was imported
        new = re.sub(r"^torch\.npu\b", "torch_npu.npu", target)
        return RULE.auto(
            place,
            f"{found}, which is for GPUs",
            done=f"Replaced it by {new}.",
            fix=Changes([Edit(item.start, item.start + len(item.value), new)]),
        )
    package = cuda_packages.providing(item.value, "torch")
    if package is None or not item.key.lower().endswith(("target", "target_", "class_path")):
        return None
    return RULE.manual(
        place,
        f"{found}, of a package that {package.what}",
        todo=package.instead("torch"),
        effort=package.effort,
    )


def _translated(key: str, value: str) -> str | None:
    if (key, value) in _EXACT:
        return _EXACT[key, value]
    if (_DEVICE_KEY.fullmatch(key) and _DEVICE.fullmatch(value)) or (
        _BACKEND_KEY.fullmatch(key) and value == "nccl"
    ):
        return _npu(value)
    return None


def _is_gpu(value: str) -> bool:
    """Whether a value is the name of a GPU or of its backend."""
    return value == "nccl" or _DEVICE.fullmatch(value) is not None


def _npu(value: str) -> str:
    return "hccl" if value == "nccl" else value.replace("cuda", "npu", 1)
