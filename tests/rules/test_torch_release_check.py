"""No rule writes a name of torch_npu that the release to migrate for does not have."""

from __future__ import annotations

import ast
from dataclasses import replace

import pytest

from ascendify.catalog import replacements, torch_npu_names, torch_releases
from ascendify.findings import Status
from ascendify.rules.fix import Changes
from ascendify.rules.torch import _release_check
from ascendify.source.edits import Edit
from ascendify.source.imports import Import
from support.rule_cases import CASES, Case, load, run

PATHS = sorted(CASES.glob("TORCH-*/*.py"))
INSTEAD = replacements.texts("older-torch")
TARGETS = ("2.4.0", "2.1.0.post17", "2.5.1", "2.9.0", "2.14.0")
"""Releases of as many stacks: the one with the fewest names first."""


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("folder", sorted({path.parent.name for path in PATHS}))
def test_what_is_written_exists(folder: str, target: str) -> None:
    """Every case of every rule, migrated for a release."""
    release = torch_releases.parse(target)
    assert release is not None
    for case in (case for path in PATHS if path.parent.name == folder for case in load(path)):
        outcome = run(replace(case, facts=replace(case.facts, torch_npu=target)))
        whole = Changes([Edit(0, len(outcome.before), outcome.after)])
        written = _release_check.written(whole, outcome.before)
        lacking = [name for name in written if _release_check.missing(name, release)]
        assert lacking == [], f"{case.title}: {lacking}"


def test_the_cases_have_names_that_came_later() -> None:
    """Else the test above would show nothing."""
    release = torch_releases.parse("2.4.0")
    assert release is not None
    seen = set()
    for case in (case for path in PATHS for case in load(path)):
        whole = Changes([Edit(0, len(case.before), case.after or case.before)])
        seen |= {
            name
            for name in _release_check.written(whole, case.before)
            if _release_check.missing(name, release)
        }
    assert {"torch.npu.NPUGraph", "torch.npu.mstx.range_push"} <= seen


WRITTEN = {
    "a part of a name": ("a = torch.cuda.Stream()\n", [(10, 14, "npu")], ["torch.npu.Stream"]),
    "torch under another name": ("a = th.cuda.Stream()\n", [(7, 11, "npu")], ["torch.npu.Stream"]),
    "two parts": (
        "torch.cuda.nvtx.mark('a')\n",
        [(6, 10, "npu"), (11, 15, "mstx")],
        ["torch.npu.mstx.mark"],
    ),
    "an import": (
        "from torch.cuda import Stream, Event as E  # both\n",
        [(5, 15, "torch_npu.npu")],
        ["torch_npu.npu", "torch_npu.npu.Stream", "torch_npu.npu.Event"],
    ),
    "an import of several lines": (
        "from torch.cuda import (\n    Stream,\n    Event,\n)\n",
        [(5, 15, "torch.npu")],
        ["torch.npu.Stream", "torch.npu.Event"],
    ),
    "a name of torch": (
        "torch.get_autocast_gpu_dtype()\n",
        [(6, 28, "get_autocast_dtype")],
        ["torch.get_autocast_dtype"],
    ),
    "nothing new": ("b = torch.npu.Stream(); x.cuda()\n", [(26, 30, "npu")], []),
    "a method": ("x.cuda().train()\n", [(2, 6, "npu")], []),
    "something else": ("a = torch.cuda.Stream()\n", [(0, 1, "b")], []),
}


@pytest.mark.parametrize(("text", "edits", "names"), WRITTEN.values(), ids=WRITTEN)
def test_names_a_fix_writes(text: str, edits: list[tuple[int, int, str]], names: list[str]) -> None:
    assert _release_check.written(Changes(Edit(*edit) for edit in edits), text) == names


def test_names_a_fix_imports() -> None:
    fix = Changes()
    fix.imports = [Import("torch_npu.npu.mstx", "annotate"), Import("torch_npu"), Import("os")]
    assert _release_check.written(fix, "") == ["torch_npu.npu.mstx.annotate"]


NOT_REWRITTEN = {
    "later, for the same torch": (
        "2.7.1.post2",
        "Not changed, so it does not work on an NPU. torch_npu 2.7.1.post2 (stack 7.3.0) does "
        "not have torch.npu.host_memory_stats. torch-npu==2.7.1.post4 (stack 26.0.0) does. For a "
        "release that has it, ascendify does this: Replaced it by torch.npu.host_memory_stats.",
    ),
    "later, for a newer torch": (
        "2.5.1",
        "Not changed, so it does not work on an NPU. torch_npu 2.5.1 (stack 7.0.0) does not have "
        "torch.npu.host_memory_stats. torch_npu 2.10.0 for torch 2.10.0 (stack 26.0.0) is the "
        "first that does. For a release that has it, ascendify does this: Replaced it by "
        "torch.npu.host_memory_stats.",
    ),
}


MISSING = {
    "an argument that is gone": (
        "torch_npu.npu_fused_causal_conv1d(activation_mode=1)",
        "2.14.0",
        "torch_npu 2.14.0 (stack 26.2.0) does not have the argument activation_mode of "
        "torch_npu.npu_fused_causal_conv1d. The argument exists in stack 26.0.0.",
    ),
    "an argument that came later": (
        "torch.npu.is_bf16_supported(including_emulation=True)",
        "2.10.0",
        "torch_npu 2.10.0 (stack 26.0.0) does not have the argument including_emulation of "
        "torch.npu.is_bf16_supported. torch-npu==2.10.0.post4 (stack 26.1.0) does.",
    ),
    "an argument that it has": ("torch.npu.is_bf16_supported(including_emulation=1)", "2.11.0", ""),
    "a name that is gone": (
        "torch.npu.MemPoolContext()",
        "2.13.0",
        "torch_npu 2.13.0 (stack 26.2.0) does not have torch.npu.MemPoolContext. It exists since "
        "stack 7.0.0 (first 2.3.1.post6), but not in 2.13.0, 2.14.0.",
    ),
}


def test_what_to_write_for_a_release_without_a_name() -> None:
    text = "import torch\ntry:\n    f()\nexcept torch.cuda.OutOfMemoryError:\n    pass\n"
    case = Case("TORCH-CUDA-2", "", text)
    facts = replace(case.facts, framework="torch", frameworks=frozenset({"torch"}))
    case.facts = replace(facts, torch_npu="2.1.0.post17")
    [finding] = run(case).findings
    assert "came with torch 2.4. With torch 2.1.0 write RuntimeError" in finding.todo


@pytest.mark.parametrize("name", sorted(INSTEAD))
def test_what_is_written_instead_is_there_before(name: str) -> None:
    """A row says what older code writes; names of torch_npu in it are those of every release."""
    since = torch_npu_names.torch_since(name)
    assert since
    reported = _release_check._names(INSTEAD[name])
    for target in ("2.1.0", "2.5.1"):
        release = torch_releases.parse(target)
        assert release is not None
        assert [item for item in reported if _release_check.missing(item, release)] == []


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("2.1.0", "torch 2.1.0 does not have torch.cond, which came with torch 2.2 or 2.3."),
        ("2.2.0", "torch 2.2.0 may not have torch.cond, which came with torch 2.2 or 2.3."),
        ("2.3.1", ""),
    ],
)
def test_a_release_that_nobody_asked(target: str, words: str) -> None:
    release = torch_releases.parse(target)
    assert release is not None
    assert _release_check.missing("torch.cond", release) == words


@pytest.mark.parametrize(("source", "target", "words"), MISSING.values(), ids=MISSING)
def test_what_a_release_lacks_in_words(source: str, target: str, words: str) -> None:
    release = torch_releases.parse(target)
    assert release is not None
    call = ast.parse(source, mode="eval").body
    assert isinstance(call, ast.Call)
    assert _release_check.missing(ast.unparse(call.func), release, call) == words


@pytest.mark.parametrize(("target", "todo"), NOT_REWRITTEN.values(), ids=NOT_REWRITTEN)
def test_the_first_release_is_named(target: str, todo: str) -> None:
    case = Case("TORCH-CUDA-1", "", "import torch\ntorch.cuda.host_memory_stats()\n")
    facts = replace(case.facts, framework="torch", frameworks=frozenset({"torch"}))
    case.facts = replace(facts, torch_npu=target)
    [finding] = run(case).findings
    assert (finding.status, finding.done, finding.todo) == (Status.MANUAL, "", todo)


@pytest.mark.parametrize(("target", "named"), [("2.7.1.post2", False), ("2.7.1.post4", True)])
@pytest.mark.parametrize("started", [True, False], ids=["a script", "a module"])
def test_a_variable_is_named_where_the_release_reads_it(
    target: str, named: bool, started: bool
) -> None:
    case = Case("TORCH-IMP-2", "", "import torch\n")
    entries = frozenset({case.path} if started else ())
    case.facts = replace(
        case.facts, style="transfer", torch_npu=target, entry_points=entries,
        framework="torch", frameworks=frozenset({"torch"}),
    )  # fmt: skip
    [finding] = run(case).findings
    assert ("set TORCH_TRANSFER_TO_NPU=1" in finding.todo) is named
