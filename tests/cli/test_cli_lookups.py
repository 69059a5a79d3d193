"""``ascendify rules``, ``rule`` and ``api``: what the tool knows, on request."""

from __future__ import annotations

import json

import pytest

from ascendify.catalog.support import legend
from ascendify.cli import main
from ascendify.emulation.codes import CODES
from ascendify.findings import RuleInfo
from ascendify.rules.registry import entries
from support.commands import ascendify


def known() -> list[RuleInfo]:
    """What is found in a program's text, then what is found while it runs."""
    return [*(entry.info for entry in entries().values()), *CODES.values()]


def test_rules_lists_every_code() -> None:
    result = ascendify("rules")
    assert (result.returncode, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    titles = {info.code: info.title for info in known()}
    assert [line.split()[0] for line in lines] == list(titles)
    assert all(line.endswith(titles[line.split()[0]]) for line in lines)


def test_rules_as_json() -> None:
    rows = json.loads(ascendify("rules", "--output-format", "json").stdout)
    assert [row["code"] for row in rows] == [info.code for info in known()]
    assert rows[0].keys() == {"code", "family", "title", "why", "statuses"}


@pytest.mark.parametrize("spelling", ["TF1-SESS-1", "tf1-sess-1"], ids=["capitals", "small"])
def test_rule_explains_one(capsys: pytest.CaptureFixture[str], spelling: str) -> None:
    rule = entries()["TF1-SESS-1"].rule
    assert main(["rule", spelling]) == 0
    page = capsys.readouterr().out
    assert page.startswith(f"TF1-SESS-1: {rule.title}\n")
    for arguments in (rule.why, rule.before, rule.after, rule.safety):
        assert " ".join(arguments.split()) in " ".join(page.split())
    assert max(map(len, page.splitlines())) <= 100


@pytest.mark.parametrize("code", CODES)
def test_rule_explains_what_a_run_sees(capsys: pytest.CaptureFixture[str], code: str) -> None:
    assert main(["rule", code]) == 0
    page = capsys.readouterr().out
    assert page.startswith(f"{code}: {CODES[code].title}\n")
    assert " ".join(CODES[code].why.split()) in " ".join(page.split())
    assert max(map(len, page.splitlines())) <= 100


def test_rule_explains_a_family(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rule", "TF1-SESS"]) == 0
    page = capsys.readouterr().out
    assert all(f"{code}: " in page for code in entries() if code.startswith("TF1-SESS-"))


def test_unknown_rule(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rule", "TF1-SESS-0"]) == 2
    assert "hint: did you mean TF1-SESS" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        pytest.param(
            "tf.nn.dropout", ("tf.nn.dropout (TensorFlow 1.15)\n", "keep_prob"), id="signature"
        ),
        pytest.param(
            "tensorflow.nn.dropout", ("tf.nn.dropout (", "tf2.nn.dropout ("), id="another-spelling"
        ),
        pytest.param("tf.compat.v1.Session", ("tf.Session (", "vendor"), id="compat"),
        pytest.param("tf.train.AdamOptimizer", ("bases", "tf.train.Optimizer"), id="bases"),
    ],
)
def test_api(capsys: pytest.CaptureFixture[str], name: str, arguments: tuple[str, ...]) -> None:
    assert main(["api", name]) == 0
    page = capsys.readouterr().out
    assert all(argument in page for argument in arguments)
    assert any(f"{status}: {meaning}" in page for status, meaning in legend().items())


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        pytest.param("transformers", ("works on NPUs from 4.32 on", "tf32=True"), id="works"),
        pytest.param("flash-attn", ("does not work", "npu_fusion_attention"), id="requirement"),
        pytest.param("fairseq", ("(not verified)", "--transfer FILE"), id="cuda-inside"),
        pytest.param("vllm", ("beside it", "vllm-ascend"), id="another-package"),
        pytest.param("numpy", ("TensorFlow 2.6", "1.23.0"), id="companion-of-tensorflow"),
    ],
)
def test_api_of_a_library(
    capsys: pytest.CaptureFixture[str], name: str, parts: tuple[str, ...]
) -> None:
    assert main(["api", name]) == 0
    page = capsys.readouterr().out
    assert page.startswith(f"{name} (library)\n")
    assert all(part in page for part in parts)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        pytest.param("tf.layers.dens", "did you mean tf.layers.dense", id="near"),
        pytest.param("zzzz", "give a full name", id="nothing-near"),
    ],
)
def test_unknown_api(capsys: pytest.CaptureFixture[str], name: str, hint: str) -> None:
    assert main(["api", name]) == 2
    error, advice = capsys.readouterr().err.splitlines()
    assert error == f"error: nothing is known about {name}"
    assert advice.startswith(f"hint: {hint}")


ATTENTION = "torch_npu.npu_fusion_attention"
BY_RELEASE = {
    "over the releases": (
        [ATTENTION],
        ("in every release that was read", "in stack 7.3.0: adds sink", "int offset=0"),
        (),
    ),
    "in one release": (
        [ATTENTION, "--torch-npu", "2.4.0"],
        ("in 2.4.0 ", "yes: torch 2.4.0 with torch_npu 2.4.0 (stack 6.0.rc3", "bool sync=False)"),
        ("softmax_layout", "changed"),
    ),
    "not in a release": (
        ["torch.npu.StreamContext", "--torch-npu", "2.5.1"],
        ("no: torch 2.5.1 with torch_npu 2.5.1 ", "torch_npu 2.5.1.post1 (stack 7.1.0"),
        ("signature",),
    ),
    "a name of CUDA": (
        ["torch.cuda.nvtx.range_push", "--torch-npu", "2.9.0"],
        ("no: ", "torch_npu 2.9.0.post6 ", "torch.npu.mstx.range_push"),
        (),
    ),
    "a name of torch itself": (["torch.nn.Conv2d", "--torch-npu", "2.9.0"], ("in_channels",), ()),
    "a newer name of torch": (
        ["torch.distributed.fsdp.fully_shard", "--torch-npu", "2.1"],
        ("no: PyTorch has it since 2.6; torch_npu 2.1.0.post17 is for torch 2.1.0",),
        ("signature",),
    ),
    "a newer name of torch, in a release that has it": (
        ["torch.distributed.fsdp.fully_shard", "--torch-npu", "2.9"],
        ("yes: PyTorch has it since 2.6", "signature"),
        (),
    ),
    "a newer name of torch, over the releases": (["torch.cond"], ("since 2.2 or 2.3",), ()),
    "a newer name of torch, in a release without a question": (
        ["torch.amp.GradScaler", "--torch-npu", "2.2.0"],
        ("not known: PyTorch has it since 2.2 or 2.3", "signature"),
        (),
    ),
    "a name of CUDA for a newer one of torch": (
        ["torch.cuda.OutOfMemoryError", "--torch-npu", "2.1"],
        ("no: PyTorch has torch.OutOfMemoryError since 2.4",),
        (),
    ),
}


@pytest.mark.parametrize(("arguments", "shown", "hidden"), BY_RELEASE.values(), ids=BY_RELEASE)
def test_api_by_release(
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    shown: tuple[str, ...],
    hidden: tuple[str, ...],
) -> None:
    assert main(["api", *arguments]) == 0
    page = capsys.readouterr().out
    assert [argument for argument in shown if argument not in page] == []
    assert [argument for argument in hidden if argument in page] == []


def test_api_of_a_release_that_does_not_exist(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["api", ATTENTION, "--torch-npu", "2.5.2"]) == 2
    error, advice = capsys.readouterr().err.splitlines()
    assert error == "error: --torch-npu is '2.5.2', and there is no such release of torch_npu"
    assert advice == "hint: for torch 2.5 there are 2.5.1, 2.5.1.post1"
