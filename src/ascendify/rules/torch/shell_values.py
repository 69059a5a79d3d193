"""Replace devices and backends that launch scripts pass, such as ``--device cuda``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ascendify.catalog import advice
from ascendify.rules.kit import Changes, Diagnoses, Effort, Rule, Status, TextSite
from ascendify.rules.shell import _script
from ascendify.rules.shell._script import Command, Word
from ascendify.source.edits import Edit

RULE = Rule(
    code="TORCH-SH-1",
    title="Use NPU devices and the hccl backend in commands of launch scripts",
    why=(
        "A program that gets --device cuda or --backend nccl from its launch script uses a device "
        "and a backend that an NPU machine does not have."
    ),
    statuses=(Status.AUTO, Status.AUTO_CHECK, Status.MANUAL),
    before="python train.py --device cuda:0 --dist-backend nccl",
    after="python train.py --device npu:0 --dist-backend hccl",
    safety="The program must accept the new value, as the migrated one does.",
    framework="torch",
)

_STARTS = re.compile(
    r"python[\d.]*|torchrun|accelerate|deepspeed|.*\.py|\$\{?\w*(?:PYTHON|LAUNCH|RUN)\w*\}?", re.I
)
_FLAG = re.compile(r"(--?)(?P<key>[\w.-]+)(?:=(?P<value>.*))?", re.S)
_OVERRIDE = re.compile(r"\+{0,2}(?P<key>[A-Za-z_][\w./-]*)=(?P<value>.*)", re.S)
_DEVICE_KEY = re.compile(r"(?:.*[._-])?(?:device|map[_-]location)(?:[_-]?(?:type|name))?")
_BACKEND_KEY = re.compile(r"(?:.*[._-])?backend")
_DEVICE = re.compile(r"(['\"]?)cuda((?::\d+|:\$\S+)?)\1")
_RANKS_KEY = re.compile(r"nproc[_-]per[_-]node")
"""An option of torchrun, which counts GPUs for "gpu" and any accelerator for "auto"."""
_BACKEND = re.compile(r"(['\"]?)nccl\1")


@RULE.text("shell")
def replace_values(site: TextSite) -> Diagnoses:
    """Replace values of flags and of overrides such as ``model.device=cuda``, by their key."""
    if site.facts.style == "transfer":
        # the program keeps its names of devices, so its options do too
        return
    if not any(word in site.text for word in ("cuda", "nccl", "nproc", "accelerator")):
        return
    for command in _script.commands(site.text):
        if not any(_STARTS.fullmatch(word.value.rpartition("/")[2]) for word in command.rest):
            continue
        for key, value, is_flag in _given(command):
            if _chooses_gpus(key, value.text):
                yield RULE.manual(
                    site.at(value.start, value.end),
                    f"{key} is {value.text}",
                    todo=advice.text("lightning-accelerator"),
                    effort=Effort.HOURS,
                    raises=True,
                )
            word = _word(key, value.text)
            if word is None:
                continue
            old, new = word
            start = value.start + value.text.index(old)
            yield RULE.fixed(
                site.at(value.start, value.end),
                f"{key} is {value.text}, which an NPU machine does not have",
                done=f"Replaced it by {value.text.replace(old, new, 1)}.",
                todo=_todo(key, new, is_flag),
                fix=Changes([Edit(start, start + len(old), new)]),
            )


def _chooses_gpus(key: str, value: str) -> bool:
    """Whether an option gives Lightning its accelerator: ``trainer.accelerator=gpu``."""
    name = re.split(r"[._-]", key.lower())[-1]
    return name == "accelerator" and value.strip("'\"").lower() in ("gpu", "cuda")


def _todo(key: str, new: str, is_flag: bool) -> str:
    """What to check about a new value; empty where nothing is open."""
    if new == "auto":
        return (
            "torchrun counts NPUs where PyTorch loads torch_npu by itself, from 2.5 on: for an "
            "older one write their number."
        )
    return "" if is_flag else f"Check that the program uses {key} as a device."


def _word(key: str, value: str) -> tuple[str, str] | None:
    """The word of a value that names a GPU or its backend, and that of an NPU."""
    name = key.lstrip("-").lower()
    if _DEVICE_KEY.fullmatch(name) and _DEVICE.fullmatch(value):
        return "cuda", "npu"
    if _BACKEND_KEY.fullmatch(name) and _BACKEND.fullmatch(value):
        return "nccl", "hccl"
    if _RANKS_KEY.fullmatch(name) and value == "gpu":
        return "gpu", "auto"
    return None


def _given(command: Command) -> Iterator[tuple[str, Word, bool]]:
    """Every key with a value in a command, the word of the value, and whether it is a flag."""
    words = command.rest
    for index, word in enumerate(words):
        flag = _FLAG.fullmatch(word.text)
        if flag is not None:
            if flag["value"] is not None:
                yield word.text.partition("=")[0], _value(word, flag), True
            elif index + 1 < len(words):
                yield word.text, words[index + 1], True
            continue
        override = _OVERRIDE.fullmatch(word.text)
        if override is not None:
            yield override["key"], _value(word, override), False


def _value(word: Word, match: re.Match[str]) -> Word:
    return Word(match["value"], word.start + match.start("value"))
