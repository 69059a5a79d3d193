"""``README_npu.md`` of a port: how to run it, what was changed, what is left."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from ascendify.launch.scaffold.writing import TENSORFLOW, Scaffold, network_of
from ascendify.port.request import PortRequest
from ascendify.reports import wording
from ascendify.reports.model import Group, Report, Section

FILE = "README_npu.md"
_TEMPLATE = Path(__file__).parent / "templates" / f"{FILE}.txt"
_PLACES = 8
"""How many places of a rule are listed; the report has all of them."""


def render(request: PortRequest, report: Report, scaffolds: Sequence[Scaffold]) -> str:
    """The text of the README."""
    facts = {
        "PROJECT": network_of(request.project),
        "RUN": "\n".join(_run(request, scaffolds)),
        "SWITCHES": "\n".join(_switches(scaffolds)),
        "SEVERAL": "\n".join(_several(request, scaffolds)),
        "CHANGED": "\n".join(_changed(report)),
        "LEFT": "\n".join(_left(report)),
    }
    text = _TEMPLATE.read_text(encoding="utf-8")
    filled = re.sub("@([A-Z_]+)@", lambda name: facts[name[1]], text)
    return re.sub(r"\n{3,}", "\n\n", filled)


def _run(request: PortRequest, scaffolds: Sequence[Scaffold]) -> Iterator[str]:
    if not scaffolds:
        yield (
            "No program that trains was found, so there are no launch scripts. Name one with "
            "`ascendify port ... --program FILE`."
        )
        return
    yield "| Program | Devices | Command |"
    yield "| --- | --- | --- |"
    for one in scaffolds:
        data = " --data_path=FOLDER" if one.data is not None else ""
        for count in one.counts:
            command = f"bash {one.folder}/train_full_{count}p.sh{data}"
            yield f"| `{one.program.path}` | {count} | `{command}` |"
    yield ""
    yield (
        "`train_performance_*p.sh` trains shortly, to see the speed. What is trained, and with "
        "which arguments, is in `settings.sh` beside the scripts; the environment of the machine "
        "is in `test/env.sh`. On ModelArts start `modelarts_entry_acc.py` (to the end) or "
        "`modelarts_entry_perf.py` (the speed), with `--data_url` and `--train_url`."
    )


def _switches(scaffolds: Sequence[Scaffold]) -> Iterator[str]:
    if not any(one.framework == TENSORFLOW for one in scaffolds):
        return
    yield "## Switches"
    yield ""
    yield (
        "`npu_options.py` holds the NPU options of all programs. Its defaults change nothing. A "
        "launch script's switch, or a variable of the environment, turns one on:"
    )
    yield ""
    yield "```sh"
    yield "bash test/train_full_1p.sh --precision_mode=allow_mix_precision"
    yield "NPU_LOSS_SCALE=dynamic NPU_PRECISION_MODE=allow_mix_precision python3 ..."
    yield "```"
    yield ""
    yield (
        "Precision, loss scale, mixed lists, dumps, overflow detection, profiling and tuning are "
        "options of that module; `bash test/train_full_1p.sh --help` lists the switches."
    )


def _several(request: PortRequest, scaffolds: Sequence[Scaffold]) -> Iterator[str]:
    if request.count == 1 or not scaffolds:
        return
    yield "## Several devices"
    yield ""
    for one in scaffolds:
        averaged = one.program.averages
        if averaged:
            batch = "all devices, which it divides" if one.batch_of_all else "one device"
            yield (
                f"- `{one.program.path}`: gradients are averaged by {averaged}. Its batch size is "
                f"that of {batch}."
            )
        else:
            yield (
                f"- `{one.program.path}`: **nothing averages gradients.** Each device would train "
                "a model of its own."
            )
    yield ""
    yield (
        "One process trains on each device, with its share of the data. Where the batch size is "
        f"that of one device, {request.count} devices train with {request.count} times the batch: "
        "whether the learning rate should grow with it is your decision; the code keeps yours. "
        "With one process everything is as before. The addresses in `configs/rank_table_*.json` "
        "are examples; `ascendify ranktable create` writes those of your machine."
    )


def _changed(report: Report) -> Iterator[str]:
    groups = [group for group in report.groups if group.status.rewrites and not group.possible]
    if not groups:
        yield "Nothing: no file needed a change."
        return
    yield "| Rule | What | Places | Files |"
    yield "| --- | --- | --- | --- |"
    for group in groups:
        title = wording.one_line(group.title)
        yield f"| {group.code} | {title} | {group.count} | {group.files} |"
    yield ""
    yield (
        "`ascendify rule CODE` explains a rule; `ascendify migrate PROJECT --diff` shows each edit."
    )


def _left(report: Report) -> Iterator[str]:
    groups = [group for group in report.groups if _is_left(group)]
    for entry in report.unreadable:
        yield f"- **{entry.path}** could not be read ({entry.reason}) and is copied as it was."
    if not groups and not report.unreadable:
        yield "Nothing that is known."
        return
    for group in groups:
        yield f"### {group.code}: {wording.one_line(group.title)}"
        yield ""
        for finding in group.findings[:_PLACES]:
            text = " ".join(filter(None, (f"{finding.found}.", finding.todo)))
            yield f"- `{finding.path}:{finding.span.line}` {text}"
            if finding.also:
                yield f"  Also at {wording.other_places(finding)}."
        if group.count > _PLACES:
            yield f"- and {group.count - _PLACES} more"
        yield ""


def _is_left(group: Group) -> bool:
    return group.section in (Section.BLOCKERS, Section.DECISIONS)
