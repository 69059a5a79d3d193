"""Flags that give one training process several GPUs: report them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ascendify.rules.kit import Diagnoses, Rule, Status, TextSite
from ascendify.rules.shell import _script
from ascendify.rules.shell._script import Command, Word

RULE = Rule(
    code="SH-GPUS-1",
    title="Give every process one device",
    why=(
        "A flag such as --num_gpus makes one process drive several GPUs. On NPUs one process "
        "drives one device; with the old number it builds towers or splits batches for devices it "
        "does not have."
    ),
    statuses=(Status.MANUAL,),
    before="python train.py --num_gpus=8",
    framework="tensorflow",
)

_FLAG = re.compile(
    r"(--?(?:num[_-]?gpus?|n[_-]?gpus?|gpus|gpu[_-]num|num[_-]gpus[_-]per[_-]\w+))(?:=(.*))?", re.S
)
_PYTHON = re.compile(r"python[\d.]*|.*\.py")
_STRATEGY = re.compile(r"--?distribution_strategy=['\"]?(\w+)['\"]?")
_ONE = frozenset({"0", "1"})


@RULE.text("shell")
def report_flag(site: TextSite) -> Diagnoses:
    """The flag of a command that starts a Python program."""
    if "gpu" not in site.text.lower():
        return
    for command in _script.commands(site.text):
        if not any(_PYTHON.fullmatch(word.value.rpartition("/")[2]) for word in command.rest):
            continue
        if "tensorflow2" in site.facts.frameworks and _chooses_strategy(command):
            continue  # a rule for the model garden rewrites both flags
        for flag, value in _flags(command):
            if value.value in _ONE:
                continue
            spelled = flag.text if value.end <= flag.end else f"{flag.text} {value.text}"
            gives = "gives" if value.is_plain else "may give"
            number = value.text if value.value.isdigit() else ""
            processes = f"{number} processes" if number else "one process for each device"
            yield RULE.manual(
                site.at(flag.start, value.end),
                f"{spelled} {gives} one process several GPUs",
                todo=(
                    f"Give it 1 and start {processes}, each with its own RANK_ID and "
                    "ASCEND_DEVICE_ID and the common RANK_SIZE, JOB_ID and RANK_TABLE_FILE."
                ),
            )


def _chooses_strategy(command: Command) -> bool:
    """Whether the model garden's flag chooses a strategy for several devices."""
    chosen = [_STRATEGY.fullmatch(word.text) for word in command.rest if word.is_plain]
    return any(item is not None and item[1] not in ("one_device", "off") for item in chosen)


def _flags(command: Command) -> Iterator[tuple[Word, Word]]:
    """Every such flag with the word of its value."""
    words = command.rest
    for index, word in enumerate(words):
        match = _FLAG.fullmatch(word.text)
        if match is None:
            continue
        if match[2] is not None:
            yield word, Word(match[2], word.start + match.start(2))
        elif index + 1 < len(words) and not words[index + 1].text.startswith("--"):
            yield word, words[index + 1]
