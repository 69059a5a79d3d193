"""Replace CUDA builds of torch in requirement files, and add torch_npu."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ascendify.catalog import torch_releases, versions
from ascendify.rules.kit import Changes, Diagnoses, Diagnosis, Rule, Status, TextSite
from ascendify.rules.shell import _requirements
from ascendify.rules.shell._requirements import Requirement
from ascendify.rules.torch import _pairs
from ascendify.rules.torch._pairs import Pair, Refusal
from ascendify.source.edits import Edit

RULE = Rule(
    code="TORCH-REQ-1",
    title="Install torch_npu with a CPU build of torch",
    why=(
        "torch_npu works with the CPU build of torch of the same release. A CUDA build needs "
        "libraries that an NPU machine does not have, and without torch_npu there is no NPU device."
    ),
    statuses=(Status.AUTO, Status.AUTO_CHECK, Status.MANUAL),
    before="torch==2.1.2+cu118",
    after="torch==2.1.0\ntorch-npu==2.1.0.post17",
    safety=(
        "The release of torch_npu must match the driver and CANN of the machine, and torch; name "
        "the machine's release with --torch-npu. A patch release of torch that has no torch_npu "
        "is replaced by the nearest one that has."
    ),
    framework="torch",
)

_CUDA_INDEX = re.compile(
    r"/whl/(?:nightly/|test/)?(cu\d+)(?=/?(?:torch_stable\.html)?(?:[\s'\"]|$)|/[^\s'\"/]*\.whl)|/whl/torch-[\d.]+\+(cu\d+)(?=\.html)",
    re.M,
)
"""PyTorch's index of a CUDA build, and the page of PyTorch Geometric's packages for one."""
_WHEEL = re.compile(r"[^\s'\"]*\.whl")
_ONLY_INDEX = re.compile(r"(?<!\S)(?:--index-url|-i)(?=[ =]\S+/whl/|[ =][\"']?\$)")
"""torch's own index instead of the default one, which is the only one with torch-npu."""
_CI = re.compile(r"(?:^|/)(?:\.github|\.circleci|\.gitlab-ci|\.buildkite|azure-pipelines)")
_CONDA, _NPU = "pytorch", "torch-npu"
_FRIENDS = (_CONDA, "torch", "torchvision", "torchaudio")
_PYTHON_IMAGE = re.compile(r"^[ \t]*FROM(?:[ \t]+--\S+)*[ \t]+python:(\d+\.\d+)", re.I | re.M)


@RULE.text("requirements", "yaml", "docker", "shell")
def replace_builds(site: TextSite) -> Diagnoses:
    """Replace ``torch==2.1.0+cu118`` wherever packages are listed or installed."""
    if site.script is not None and _CI.search(site.path):
        # machines that test are others than those that train
        return
    items = list(_requirements.of_file(site.kind, site.text))
    present = {item.name.lower().replace("_", "-"): item for item in items}
    main = next((present[name] for name in ("torch", _CONDA) if name in present), None)
    for item in items:
        name = item.name.lower()
        if name not in _FRIENDS:
            continue
        if _requirements.has_hash(site.text, item):
            yield _pinned_by_hash(site, item)
        elif name in ("torch", _CONDA) and _NPU not in present:
            yield _with_npu(site, item, _pairs.of(site.facts, item, present))
        elif name in ("torch", _CONDA) and not _fits(item, present[_NPU]):
            yield _contradiction(site, item, present[_NPU])
        elif main is not None and (new := _follower(site, item, main)):
            yield _repin(site, item, main, new)
        elif _pairs.CUDA_BUILD.search(item.specifier) and not _is_refused(site, main, present):
            yield RULE.auto(
                site.at(item.start, item.end),
                f"{item.text} is a CUDA build",
                done="Removed the name of the CUDA build.",
                fix=Changes(_pairs.plain(item)),
            )
    if main is not None:
        yield from _pythons(site, main, present)


@RULE.text("requirements", "yaml", "docker", "make", "config", "shell")
def replace_index(site: TextSite) -> Diagnoses:
    """Replace ``--extra-index-url https://host/whl/cu118``, and the same in settings of tools."""
    for match in _CUDA_INDEX.finditer(site.text):
        line = site.text[site.text.rfind("\n", 0, match.start()) + 1 : match.start()]
        if line.lstrip().startswith("#"):
            continue
        start, end = match.span(match.lastindex or 1)
        build = site.text[start:end]
        if _WHEEL.match(site.text, end):
            yield RULE.manual(
                site.at(start, end),
                f"a wheel of the CUDA build {build} is required by its address",
                todo="Require the release by its number, with torch-npu of the same release, and "
                f"take the CPU build from {_pairs.CPU_INDEX}.",
            )
            continue
        yield RULE.auto(
            site.at(start, end),
            f"{build} is a package index of CUDA builds",
            done="Replaced it by the index of CPU builds.",
            fix=Changes([Edit(start, end, "cpu")]),
        )


def _is_refused(
    site: TextSite, main: Requirement | None, present: Mapping[str, Requirement]
) -> bool:
    """Whether torch stays because there is no torch_npu for it, and so does what belongs to it."""
    if main is None or _NPU in present:
        return False
    return isinstance(_pairs.of(site.facts, main, present), Refusal)


def _with_npu(site: TextSite, item: Requirement, pair: Pair | Refusal) -> Diagnosis:
    """Add torch_npu after torch, and change torch to the release that torch_npu is built for."""
    place = site.at(item.start, item.end)
    if isinstance(pair, Refusal):
        return RULE.manual(place, pair.found, todo=pair.todo, effort=pair.effort)
    found = f"{item.text} is required without torch_npu"
    if site.kind == "yaml" or item.name.lower() == _CONDA:
        patch = f" Change {item.name} to {pair.release.torch}." if pair.moved else ""
        todo = f"Add {pair.added} to the packages that pip installs.{patch} {pair.todo}"
        return RULE.manual(place, found, todo=todo)
    edits, done = pair.edits(item), pair.done
    if site.kind == "requirements":
        line_end = re.compile(r"\r?\n|\Z").search(site.text, item.end)
        at = len(site.text) if line_end is None else line_end.start()
        newline = "\r\n" if line_end is not None and line_end[0] == "\r\n" else "\n"
        edits.append(Edit(at, at, f"{newline}{pair.added}"))
    else:
        quote = site.text[item.end : item.end + 1]
        at = item.end + (quote in "'\"" and bool(quote))
        edits.append(Edit(at, at, f" {pair.added}"))
    index = _only_index(site, item)
    if index is not None:
        edits.append(Edit(index.start(), index.end(), "--extra-index-url"))
        done += " Made the index an extra one, because the default index has torch-npu."
    return RULE.auto_check(place, found, done=done, todo=pair.todo, fix=Changes(edits))


def _follower(site: TextSite, item: Requirement, main: Requirement) -> str:
    """The release of torchvision or torchaudio for the new torch; empty where it stays."""
    release = _pairs.wanted(site.facts, main)
    return _pairs.follower(item, _pairs.numbered(main), release) if release is not None else ""


def _repin(site: TextSite, item: Requirement, main: Requirement, new: str) -> Diagnosis:
    """Require the release of torchvision or torchaudio that belongs to the new torch."""
    place, found = site.at(item.start, item.end), f"{item.text} belongs to {main.text}"
    if site.kind == "yaml":
        return RULE.manual(place, found, todo=f"Write {item.name} {new}, for the new torch.")
    done = f"Wrote {item.name}=={new}, which belongs to the new torch."
    return RULE.auto(place, found, done=done, fix=Changes(_pairs.repinned(item, new)))


def _fits(item: Requirement, npu: Requirement) -> bool:
    """Whether torch and torch-npu of one file belong together; true where one is not pinned."""
    release = torch_releases.parse(npu.pinned or "")
    return release is None or versions.satisfies(item.specifier, release.torch)


def _contradiction(site: TextSite, item: Requirement, npu: Requirement) -> Diagnosis:
    release = torch_releases.parse(npu.pinned or "")
    made_for = "" if release is None else release.torch
    other = torch_releases.for_torch(_pairs.numbered(item) or "0")
    instead = f", or torch-npu=={other.version} for torch {other.torch}" if other else ""
    return RULE.manual(
        site.at(item.start, item.end),
        f"{item.text} and {npu.text} do not belong together",
        todo=f"Write torch=={made_for}, which that torch_npu is built for{instead}.",
    )


def _pythons(site: TextSite, main: Requirement, present: Mapping[str, Requirement]) -> Diagnoses:
    """Report the Python of a file for which torch_npu has no wheel."""
    release = _pairs.wanted(site.facts, main)
    if release is None or not release.pythons:
        return
    item = present.get("python")
    places = [(item.start, item.end, _pairs.numbered(item))] if item and site.kind == "yaml" else []
    if site.kind == "docker":
        places += [
            (found.start(1), found.end(1), found[1]) for found in _PYTHON_IMAGE.finditer(site.text)
        ]
    for start, end, python in places:
        if python.count(".") and versions.line(python) not in release.pythons:
            yield RULE.manual(
                site.at(start, end),
                f"{release} has no wheel for Python {python}",
                todo=f"Use Python {' or '.join(release.pythons)}, or a release of PyTorch that "
                "torch_npu supports with this Python.",
            )


def _only_index(site: TextSite, item: Requirement) -> re.Match[str] | None:
    """The option that replaces the default index by torch's, in the file or the same command."""
    if site.kind == "requirements":
        return _ONLY_INDEX.search(site.text)
    lines = re.compile(r"(?:[^\n\\]|\\\r?\n|\\.)+").finditer(site.text)
    start, end = next(line.span() for line in lines if line.end() >= item.end)
    return _ONLY_INDEX.search(site.text, start, end)


def _pinned_by_hash(site: TextSite, item: Requirement) -> Diagnosis:
    return RULE.manual(
        site.at(item.start, item.end),
        f"{item.text} is pinned by hashes",
        todo="Pin the CPU build and torch-npu of the same release with their hashes.",
    )
