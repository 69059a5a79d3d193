"""Launch scripts: how they are read, and that an edited script is still one that bash accepts."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from ascendify.rules.shell import _script
from support.rule_cases import CASES, Case, load, run

SCRIPTS = [case for path in sorted(CASES.glob("*/*.sh")) for case in load(path)]
REWRITTEN = [case for case in SCRIPTS if case.after is not None]


def accepted(text: str) -> bool:
    """Whether bash can read a script; nothing is run."""
    result = subprocess.run(["bash", "-n"], input=text.encode(), capture_output=True, check=False)
    return result.returncode == 0


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash to ask")
@pytest.mark.parametrize("case", REWRITTEN, ids=lambda case: f"{case.code}: {case.title}")
def test_bash_accepts_what_it_accepted_before(case: Case) -> None:
    assert accepted(case.before), "the row itself is no script"
    assert accepted(run(case).after)


@pytest.mark.parametrize("case", REWRITTEN, ids=lambda case: f"{case.code}: {case.title}")
def test_carriage_returns_stay(case: Case) -> None:
    assert case.after is not None
    after = run(case, case.before.replace("\n", "\r\n")).after
    assert after == case.after.replace("\n", "\r\n")


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        pytest.param("a b c\n", ["a b c"], id="words"),
        pytest.param("a 'b c' \"d e\"", ["a 'b c' \"d e\""], id="quotes-hold-together"),
        pytest.param("a # b\n#c\nd#e", ["a", "d#e"], id="comments"),
        pytest.param("a \\\n  b\nc", ["a b", "c"], id="continued-lines"),
        pytest.param("a; b && c | d &", ["a", "b", "c", "d"], id="operators"),
        pytest.param("a > b 2>&1 < c", ["a"], id="redirections"),
        pytest.param("a &> b; c", ["a", "c"], id="both-streams"),
        pytest.param("a <<E\nb\nE\nc", ["a", "c"], id="here-document"),
        pytest.param("a <<-'E'\n\tb\n\tE\nc", ["a", "c"], id="indented-here-document"),
        pytest.param("a <<E <<F\n1\nE\n2\nF\nb", ["a", "b"], id="two-here-documents"),
        pytest.param("a <<< b\nc", ["a", "c"], id="here-string"),
        pytest.param("x=$(a b)", ["x=$(a b)", "a b"], id="substitution"),
        pytest.param("x=`a b`", ["x=`a b`", "a b"], id="backticks"),
        pytest.param('x="$(a "b c")"', ['x="$(a "b c")"', 'a "b c"'], id="quoted-substitution"),
        pytest.param("x=$((1 << 2)); (( y << 2 )); a", ["x=$((1 << 2))", "a"], id="arithmetic"),
        pytest.param("x=(a b)\nc", ["x=(a b)", "c"], id="arrays"),
        pytest.param("${x:-a b} c", ["${x:-a b} c"], id="expansions"),
        pytest.param("if a; then b; else c; fi", ["a", "b", "c"], id="if"),
        pytest.param("for i in 1 2; do a; done", ["for i in 1 2", "a"], id="for"),
        pytest.param("f() { a; }; g", ["f", "a", "g"], id="functions"),
        pytest.param("case $x in a) b ;; esac", ["case $x in a", "b", "esac"], id="case"),
        pytest.param("diff <(a) <(b)", ["diff", "a", "b"], id="process-substitution"),
        pytest.param("a 'b", ["a 'b"], id="a-quote-that-never-ends"),
        pytest.param("a $(b", ["a $(b"], id="a-substitution-that-never-ends"),
        pytest.param("", [], id="nothing"),
    ],
)
def test_commands(script: str, expected: list[str]) -> None:
    found = _script.commands(script)
    assert [" ".join(word.text for word in command.words) for command in found] == expected
    for command in found:
        for word in command.words:
            assert script[word.start : word.end] == word.text


@pytest.mark.parametrize(
    ("script", "chained", "captured"),
    [
        pytest.param("a", False, False, id="alone"),
        pytest.param("a && b", True, False, id="list"),
        pytest.param("a &", True, False, id="background"),
        pytest.param("a | b", True, True, id="pipe"),
        pytest.param("x=$(a)", False, True, id="substitution"),
    ],
)
def test_what_stands_around_a_command(script: str, chained: bool, captured: bool) -> None:
    command = next(item for item in _script.commands(script) if item.words[0].text == "a")
    assert (command.chained, command.captured) == (chained, captured)


def test_a_list_goes_on_after_the_end_of_a_line() -> None:
    first, second = _script.commands("a &&\n  b")
    assert first.chained
    assert second.chained


def test_commands_of_one_block_have_one_number() -> None:
    blocks = {c.name: c.block for c in _script.commands("a\nif b; then\n c\n d\nfi\ne")}
    assert blocks["c"] == blocks["d"]
    assert blocks["a"] == blocks["b"] == blocks["e"] != blocks["c"]


@pytest.mark.parametrize(
    ("script", "names", "only_sets"),
    [
        pytest.param("A=1 B=2", ["A", "B"], True, id="plain"),
        pytest.param("export A=1 B", ["A"], False, id="an-exported-name-without-value"),
        pytest.param("export A=1 B=2", ["A", "B"], True, id="export"),
        pytest.param("A=1 python x=2", ["A"], False, id="before-a-command"),
        pytest.param("env -i A=1 python B=2", ["A"], False, id="env"),
        pytest.param("python A=1", [], False, id="an-argument"),
    ],
)
def test_assignments(script: str, names: list[str], only_sets: bool) -> None:
    (command,) = _script.commands(script)
    assert [item.name for item in command.assignments] == names
    assert command.only_sets is only_sets


@pytest.mark.parametrize(
    ("script", "count"),
    [
        pytest.param("echo $A ${A} ${A:-1} ${#A}", 4, id="expansions"),
        pytest.param("echo $AB ${AB} A \\$A", 0, id="other-names"),
        pytest.param("a # $A\n# $A", 0, id="comments"),
        pytest.param('echo "# $A"', 1, id="a-sign-in-quotes"),
    ],
)
def test_reads(script: str, count: int) -> None:
    places = _script.reads(script, "A")
    assert [script[start:end] for start, end in places] == ["A"] * count
