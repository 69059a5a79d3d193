"""import torch_npu and the switch see what all the other rules leave; spans are the user's."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ascendify.catalog import replacements, torch_npu
from ascendify.catalog.knowledge import CatalogKnowledge
from ascendify.migrate.analyse import Analyser
from ascendify.rules.registry import Dispatch, chosen
from ascendify.rules.site import Facts
from ascendify.rules.torch import import_torch_npu, transfer_switch
from ascendify.source.inference.resolver import Resolver
from ascendify.source.module import Module
from ascendify.source.project import Project
from ascendify.source.text import SourceText
from support.rewriting import Rewritten, rewrite_python
from support.rule_cases import Case, run

TORCH = Facts(
    entry_points=frozenset({"main.py"}), frameworks=frozenset({"torch"}), framework="torch"
)


def migrated(
    source: str, *, code: str = "TORCH", style: str = "explicit", entry: bool = True
) -> Rewritten:
    facts = replace(TORCH, style=style)
    return run(
        Case(code, "", source, facts=facts if entry else replace(facts, entry_points=frozenset()))
    )


def test_the_import_follows_a_rewrite_in_the_same_run() -> None:
    outcome = migrated("import torch\n\nx = torch.cuda.device_count()\n", entry=False)
    assert outcome.after == (
        "import torch\nimport torch_npu  # noqa: F401\n\nx = torch.npu.device_count()\n"
    )


def test_the_import_follows_a_rewrite_that_took_several_passes() -> None:
    source = "from torch import cuda\nwith cuda.nvtx.range('a'):\n    g = cuda.CUDAGraph()\n"
    once = migrated(source, entry=False).after
    assert once == (
        "from torch_npu import npu\n"
        "from torch_npu.npu.mstx import annotate\n"
        "with annotate('a'):\n"
        "    g = npu.NPUGraph()\n"
    )
    assert migrated(once, entry=False).after == once


def test_the_finding_points_into_the_file_the_user_wrote() -> None:
    source = (
        "import os\nfrom torch.cuda import Stream, comm\nimport torch\nx = torch.ones(1).npu()\n"
    )
    outcome = migrated(source.replace("Stream, comm", "comm"), entry=False)
    found = [item for item in outcome.findings if item.code == import_torch_npu.RULE.code]
    assert [item.span.line for item in found] == [3]


def test_a_file_nothing_is_done_to_needs_no_import() -> None:
    source = "import torch\nprint(torch.cuda.nccl.version())\n"
    assert migrated(source, entry=False).after == source


def test_with_the_switch_calls_stay_and_what_it_misses_changes() -> None:
    source = (
        "import torch\n"
        "torch.cuda.set_device(0)\n"
        "torch.backends.cuda.matmul.allow_tf32 = True\n"
        "torch.cuda.nvtx.mark('a')\n"
    )
    outcome = migrated(source, style="transfer")
    assert outcome.after == (
        "import torch\n"
        "import torch_npu  # noqa: F401\n"
        "from torch_npu.contrib import transfer_to_npu  # noqa: F401\n"
        "torch.cuda.set_device(0)\n"
        "torch.npu.matmul.allow_hf32 = True\n"
        "torch.npu.mstx.mark('a')\n"
    )
    assert migrated(outcome.after, style="transfer").after == outcome.after


@pytest.mark.parametrize("style", ["explicit", "transfer"])
def test_a_setup_script_builds_without_a_device(style: str) -> None:
    source = "from torch.utils.cpp_extension import BuildExtension\n"
    facts = replace(TORCH, style=style, entry_points=frozenset({"setup.py"}))
    assert _migrated_as("setup.py", source, facts) == source
    assert (
        _migrated_as("train.py", source, replace(facts, entry_points=frozenset({"train.py"})))
        != source
    )


@pytest.mark.parametrize("style", ["explicit", "transfer"])
def test_a_notebook_is_run_like_a_script(style: str) -> None:
    facts = replace(TORCH, style=style, entry_points=frozenset())
    after = _migrated_as("train.ipynb", "import torch\nprint(torch.__version__)\n", facts)
    assert after.startswith("import torch\nimport torch_npu  # noqa: F401\n")


def _migrated_as(path: str, source: str, facts: Facts) -> str:
    """The text of a file with another name than those of the tables."""
    module = Module.parse_text(path, SourceText(source))
    project = Project(Path(), [path], {path: source})
    project.put(module)
    dispatch = Dispatch(chosen(("TORCH",)))
    return rewrite_python(
        Analyser(Resolver(project, CatalogKnowledge()), dispatch, facts), module
    ).after


@pytest.mark.parametrize(
    ("body", "trains"),
    [("y = model(x)", False), ("model(x).backward()", True)],
    ids=["y", "backward"],
)
def test_a_captured_training_step_is_told_as_such(body: str, trains: bool) -> None:
    outcome = migrated(
        f"import torch\nwith torch.cuda.graph(g):\n    {body}\n", code="TORCH-CUDA-3"
    )
    assert [item.todo.startswith("A training step") for item in outcome.findings] == [trains]


def test_the_switch_and_the_import_never_meet() -> None:
    source = "import torch\nx = torch.ones(1).npu()\n"
    codes = {
        style: {item.code for item in migrated(source, style=style).findings}
        for style in ("explicit", "transfer")
    }
    assert transfer_switch.RULE.code not in codes["explicit"]
    assert import_torch_npu.RULE.code not in codes["transfer"]


_MODULES = {"torch.cuda", "torch.cuda.nvtx"}
"""Advice for names inside these, which have a counterpart as a whole."""


@pytest.mark.parametrize("name", sorted(replacements.texts("cuda").keys() - _MODULES))
def test_advice_is_for_a_name_without_counterpart(name: str) -> None:
    assert torch_npu.counterpart(name) is None
