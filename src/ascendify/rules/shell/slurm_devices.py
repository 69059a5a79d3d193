"""Devices that batch jobs ask Slurm for: ask for NPUs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ascendify.rules.kit import Changes, Diagnoses, Diagnosis, Rule, Status, TextSite
from ascendify.rules.shell import _script
from ascendify.source.edits import Edit

RULE = Rule(
    code="SH-SLURM-1",
    title="Ask Slurm for NPUs instead of GPUs",
    why=(
        "--gpus and its like ask for the resource that Slurm calls gpu, which a cluster of NPUs "
        "does not have: the job is rejected or waits for ever. NPUs are a resource of their own, "
        "which most clusters call npu."
    ),
    statuses=(Status.AUTO_CHECK, Status.MANUAL),
    before="#SBATCH --gres=gpu:8\n#SBATCH --gpus-per-node=8",
    after="#SBATCH --gres=npu:8\n##SBATCH --gpus-per-node=8",
    safety="The resource has the name that the cluster's gres.conf gives it.",
)

_DIRECTIVE = re.compile(r"^#SBATCH[ \t]+", re.M)
_REQUEST = re.compile(r"^#SBATCH[ \t]+--gres[= \t]+\S*\bgpu\b", re.M)
_OPTION = re.compile(
    r"(?<!\S)(?P<option>--gres|--gpus-per-node|--gpus-per-task|--gpus-per-socket|--gpus|-G"
    r"|--gpu-bind|--gpu-freq|--mem-per-gpu|--cpus-per-gpu|--ntasks-per-gpu|--constraint|-C)"
    r"(?P<between>=|[ \t]+)(?P<value>[^\s#]+)"
)
_GRES = re.compile(r"(?:gres/|gres:)?(gpu)((?::[A-Za-z][\w.-]*)?)(:[^,]+)?(?=,|$)")
_PER_NODE = re.compile(r"(?:[A-Za-z][\w.-]*:)?(\d+|\$\{?\w+\}?)")
_GPU_MODEL = re.compile(r"gpu|[avhp]100|h200|a40\b|a6000|v100|nvlink|titan|rtx|tesla|nvidia", re.I)
_COMMANDS = frozenset({"sbatch", "srun", "salloc"})
_CHECK = "Check that gres.conf of the cluster calls its NPUs npu."


@RULE.text("shell")
def replace_request(site: TextSite) -> Diagnoses:
    """Replace what directives and commands ask for."""
    for start, end in _ranges(site):
        for option in _OPTION.finditer(site.text, start, end):
            diagnosis = _replaced(site, option)
            if diagnosis is not None:
                yield diagnosis


def _ranges(site: TextSite) -> Iterator[tuple[int, int]]:
    """Lines with directives, and commands of Slurm."""
    text = site.text
    if not any(word in text for word in ("#SBATCH", "sbatch", "srun", "salloc")):
        return
    for match in _DIRECTIVE.finditer(text):
        line_end = text.find("\n", match.end())
        yield match.end(), len(text) if line_end < 0 else line_end
    for command in _script.commands(text):
        if command.name in _COMMANDS:
            yield command.start, command.end


def _replaced(site: TextSite, option: re.Match[str]) -> Diagnosis | None:
    place = site.at(option.start(), option.end())
    name, value = option["option"], option["value"]
    found = f"{option[0]} asks for GPUs"
    start = option.start("value")
    if name in ("--constraint", "-C"):
        if not _GPU_MODEL.search(value):
            return None
        todo = "Name the feature of the nodes with NPUs, or leave the option out."
        return RULE.manual(place, f"{option[0]} asks for nodes with GPUs", todo=todo)
    if name == "--gres":
        item = _GRES.search(value)
        if item is None:
            return None
        # the model of a GPU is none of an NPU
        edits = [Edit(start + item.start(1), start + item.end(2), "npu")]
        done = f"Wrote {name}={value[: item.start(1)]}npu{value[item.end(2) :]}."
        return RULE.auto_check(place, found, done=done, todo=_CHECK, fix=Changes(edits))
    count = _PER_NODE.fullmatch(value)
    if name == "--gpus-per-node" and count is not None:
        if _is_second_request(site, option):
            line = site.text.rfind("\n", 0, option.start()) + 1
            return RULE.auto_check(
                place,
                found,
                done="Commented it out: --gres asks for the NPUs.",
                todo=_CHECK,
                fix=Changes([Edit(line, line, "#")]),
            )
        new = f"--gres=npu:{count[1]}"
        edits = [Edit(option.start(), option.end(), new)]
        return RULE.auto_check(place, found, done=f"Wrote {new}.", todo=_CHECK, fix=Changes(edits))
    return RULE.manual(
        place,
        found,
        todo="Slurm has this option for the resource gpu only: ask for the NPUs of a node with "
        "--gres=npu:N, for a task with --tres-per-task=gres/npu:N, or leave it out.",
    )


def _is_second_request(site: TextSite, option: re.Match[str]) -> bool:
    """Whether an option stands alone in a directive, and another directive asks for GPUs too."""
    line = site.text.rfind("\n", 0, option.start()) + 1
    directive = _DIRECTIVE.match(site.text, line)
    return (
        directive is not None
        and directive.end() == option.start()
        and re.match(r"[ \t]*(?:#.*)?$", site.text[option.end() :], re.M) is not None
        and _REQUEST.search(site.text) is not None
    )
