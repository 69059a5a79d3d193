"""Replace devices and backends in configuration files: YAML, JSON, TOML, INI."""

from __future__ import annotations

import re

from ascendify.rules.kit import Changes, Diagnoses, Effort, Rule, Status, TextSite
from ascendify.source.edits import Edit

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

_ENTRY = re.compile(
    r"""(?P<mark>["']?)(?P<key>[A-Za-z_][\w.-]*)(?P=mark)  # device, "device", model.device
        [ \t]*[:=][ \t]*
        (?P<quote>["']?)(?P<value>[A-Za-z][\w:]*)(?P=quote)
        (?=[ \t]*(?:[,#;}\]\r\n]|$))""",
    re.X,
)
_STARTS_ENTRY = re.compile(r"(?:^|[{,\[\n])[ \t]*(?:-[ \t]+)?$")
_DEVICE_KEY = re.compile(r"(?:.*[._-])?(?:devices?|map[_-]location|device[_-]?(?:type|name))", re.I)
_BACKEND_KEY = re.compile(r"(?:.*[._-])?backend", re.I)
_DEVICE = re.compile(r"cuda(:\d+)?")
_EXACT = {("distributed_type", "MULTI_GPU"): "MULTI_NPU"}
"""Entries of accelerate's configuration file."""
_GPU_CHOICES = {("accelerator", "gpu"), ("accelerator", "cuda")}


@RULE.text("config")
def replace_values(site: TextSite) -> Diagnoses:
    """Replace values whose key says device or backend; report cuda and nccl under other keys."""
    for match in _ENTRY.finditer(site.text):
        if not _STARTS_ENTRY.search(site.text[max(0, match.start() - 200) : match.start()]):
            continue
        if site.facts.style == "transfer" and _word(match["value"]):
            # the program keeps its names of devices, so its configuration does too
            continue
        start, end = match.span("value")
        new = _translated(match["key"], match["value"])
        if new is not None:
            yield RULE.auto(
                site.at(start, end),
                f"{match['key']} is {match['value']}, which an NPU machine does not have",
                done=f"Replaced it by {new}.",
                fix=Changes([Edit(start, end, new)]),
            )
        elif (match["key"].lower(), match["value"].lower()) in _GPU_CHOICES:
            yield RULE.manual(
                site.at(start, end),
                f"{match['key']} is {match['value']}",
                todo=(
                    "Lightning has no accelerator for NPUs: register one that uses torch.npu, and "
                    "set process_group_backend of DDP to hccl."
                ),
                effort=Effort.HOURS,
            )
        elif _word(match["value"]):
            yield RULE.manual(
                site.at(start, end),
                f"{match['key']} is {match['value']}",
                todo=(
                    "If the program uses it as a device or a backend, write "
                    f"{_npu(match['value'])}."
                ),
            )


def _translated(key: str, value: str) -> str | None:
    if (key, value) in _EXACT:
        return _EXACT[key, value]
    if (_DEVICE_KEY.fullmatch(key) and _DEVICE.fullmatch(value)) or (
        _BACKEND_KEY.fullmatch(key) and value == "nccl"
    ):
        return _npu(value)
    return None


def _word(value: str) -> bool:
    """Whether a value is the name of a GPU or of its backend."""
    return value == "nccl" or _DEVICE.fullmatch(value) is not None


def _npu(value: str) -> str:
    return "hccl" if value == "nccl" else value.replace("cuda", "npu", 1)
