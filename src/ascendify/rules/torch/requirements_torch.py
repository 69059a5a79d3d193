"""PyTorch in requirement files: its CUDA builds, and torch_npu beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ascendify.findings import Effort, Status
from ascendify.rules.fix import Changes
from ascendify.rules.rule import Diagnosis, Rule
from ascendify.rules.shell import _requirements
from ascendify.rules.shell._packages import Requirement
from ascendify.rules.site import TextSite
from ascendify.rules.torch import _release
from ascendify.source.edits import Edit

RULE = Rule(
    code="TORCH-REQ-1",
    title="Install torch_npu beside a CPU build of torch",
    why=(
        "torch_npu plugs into the CPU build of torch of the same release. A CUDA build brings "
        "libraries that an NPU machine does not have, and without torch_npu there is no NPU device."
    ),
    statuses=(Status.AUTO, Status.AUTO_CHECK, Status.MANUAL),
    before="torch==2.1.0+cu118",
    after="torch==2.1.0\ntorch-npu==2.1.0",
    safety="torch_npu must fit the driver and the toolkit of the machine as well as torch.",
    framework="torch",
)

_CUDA_BUILD = re.compile(r"\+cu\d+\w*")
_CUDA_INDEX = re.compile(r"/whl/(?:nightly/|test/)?(cu\d+)(?=[\s/'\"]|$)", re.M)
_ONLY_INDEX = re.compile(r"(?<!\S)(?:--index-url|-i)(?=[ =]\S+/whl/)")
"""torch's own index in the place of the usual one, which alone has torch-npu."""
_CONDA = "pytorch"
_FRIENDS = (_CONDA, "torch", "torchvision", "torchaudio")
_TODO = (
    "Check that this release of torch_npu fits the machine's driver and toolkit, and on x86 "
    "install the CPU build of torch: the plain one there is built for CUDA."
)


@RULE.text("requirements", "yaml", "docker", "shell")
def replace_builds(site: TextSite) -> Iterator[Diagnosis]:
    """``torch==2.1.0+cu118`` wherever packages are listed or installed."""
    items = list(_requirements.of_file(site.kind, site.text))
    present = {item.name.lower().replace("_", "-") for item in items}
    for item in items:
        if item.name.lower() not in _FRIENDS:
            continue
        if _requirements.has_hash(site.text, item):
            yield _pinned_by_hash(site, item)
        elif item.name.lower() in ("torch", _CONDA) and "torch-npu" not in present:
            yield _with_npu(site, item) if _has_npu(item) else _too_old(site, item)
        elif _CUDA_BUILD.search(item.specifier):
            yield site.finding(
                RULE,
                Status.AUTO,
                item.start,
                item.end,
                f"{item.text} is a CUDA build",
                done="Took the name of the build out.",
                fix=Changes(_plain(item)),
            )


@RULE.text("requirements", "docker", "shell")
def replace_index(site: TextSite) -> Iterator[Diagnosis]:
    """``--extra-index-url https://host/whl/cu118``."""
    for match in _CUDA_INDEX.finditer(site.text):
        line = site.text[site.text.rfind("\n", 0, match.start()) + 1 : match.start()]
        if line.lstrip().startswith("#"):
            continue
        yield site.finding(
            RULE,
            Status.AUTO,
            match.start(1),
            match.end(1),
            f"{match[1]} is an index of CUDA builds",
            done="Replaced it by the index of CPU builds.",
            fix=Changes([Edit(match.start(1), match.end(1), "cpu")]),
        )


def _with_npu(site: TextSite, item: Requirement) -> Diagnosis:
    pinned = item.pinned
    version = "" if pinned is None else f"=={_CUDA_BUILD.sub('', pinned)}"
    added = f"torch-npu{version}"
    if site.kind == "yaml" or item.name.lower() == _CONDA:
        return site.finding(
            RULE,
            Status.MANUAL,
            item.start,
            item.end,
            f"{item.text} comes without torch_npu",
            todo=f"Add {added} to the packages that pip installs. {_TODO}",
            effort=Effort.MINUTES,
        )
    edits = _plain(item)
    if site.kind == "requirements":
        line_end = re.compile(r"\r?\n|\Z").search(site.text, item.end)
        at = len(site.text) if line_end is None else line_end.start()
        newline = "\r\n" if line_end is not None and line_end[0] == "\r\n" else "\n"
        edits.append(Edit(at, at, f"{newline}{added}"))
    else:
        quote = site.text[item.end : item.end + 1]
        at = item.end + (quote in "'\"" and bool(quote))
        edits.append(Edit(at, at, f" {added}"))
    done = f"Added {added}." + (" Took the name of the build out." if len(edits) > 1 else "")
    index = _only_index(site, item)
    if index is not None:
        edits.append(Edit(index.start(), index.end(), "--extra-index-url"))
        done += " Made the index an extra one: the usual one has torch-npu."
    return site.finding(
        RULE,
        Status.AUTO_CHECK,
        item.start,
        item.end,
        f"{item.text} comes without torch_npu",
        done=done,
        todo=_TODO,
        fix=Changes(edits),
    )


def _only_index(site: TextSite, item: Requirement) -> re.Match[str] | None:
    """The option that names torch's index alone: of the file, or of the command of a package."""
    if site.kind == "requirements":
        return _ONLY_INDEX.search(site.text)
    lines = re.compile(r"(?:[^\n\\]|\\\r?\n|\\.)+").finditer(site.text)
    start, end = next(line.span() for line in lines if line.end() >= item.end)
    return _ONLY_INDEX.search(site.text, start, end)


def _has_npu(item: Requirement) -> bool:
    """Whether there is a torch_npu for the release that is pinned; with no pin there is."""
    numbers = re.match(r"\d+\.\d+", item.pinned or "")
    return numbers is None or _release.exists(numbers[0])


def _too_old(site: TextSite, item: Requirement) -> Diagnosis:
    return site.finding(
        RULE,
        Status.MANUAL,
        item.start,
        item.end,
        f"{item.text} is a release that torch_npu was never made for",
        todo=f"Choose a release of torch from {_release.ADVISED} on that the project runs with, "
        f"and install torch-npu of the same release beside it. {_TODO}",
    )


def _plain(item: Requirement) -> list[Edit]:
    """Edits that take the name of a CUDA build out of a version."""
    return [
        Edit(item.specifier_start + match.start(), item.specifier_start + match.end(), "")
        for match in _CUDA_BUILD.finditer(item.specifier)
    ]


def _pinned_by_hash(site: TextSite, item: Requirement) -> Diagnosis:
    return site.finding(
        RULE,
        Status.MANUAL,
        item.start,
        item.end,
        f"{item.text} is pinned by hashes",
        todo=f"Pin the CPU build and torch-npu of the same release with their hashes. {_TODO}",
        effort=Effort.MINUTES,
    )
