"""One file rewritten to its fixed point; findings refer to the file the user wrote."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ascendify.catalog.knowledge import CatalogKnowledge
from ascendify.findings import Status
from ascendify.migrate.analyse import Analyser
from ascendify.rules.fix import Changes
from ascendify.rules.registry import Dispatch
from ascendify.rules.rule import Diagnosis, Rule
from ascendify.rules.site import CallSite, Facts, TextSite
from ascendify.source.edits import Edit
from ascendify.source.inference.resolver import Resolver
from ascendify.source.project import Project
from support.fake_rules import done, rule, run
from support.rewriting import rewrite_text

TF = "import tensorflow as tf\n"


def _renamed(old: str, code: str) -> Rule:
    """A rule that writes ``tf.<old>(x)`` as ``new(x)``."""

    def handler(site: CallSite, made: Rule) -> Iterator[Diagnosis]:
        fix = site.fix()
        inner = ", ".join(site.file.text(argument) for argument in site.node.args)
        fix.replace(site.node, f"new_{old}({inner})")
        yield done(site, made, fix)

    return rule(code, f"tf.{old}", handler)


def test_fixes_in_each_others_way_are_applied_one_after_the_other() -> None:
    outcome = run(TF + "x = tf.abs(tf.sign(1))\n", _renamed("abs", "A-1"), _renamed("sign", "B-1"))
    assert outcome.after == TF + "x = new_abs(new_sign(1))\n"
    assert [(item.code, item.status) for item in outcome.findings] == [
        ("A-1", Status.AUTO),
        ("B-1", Status.AUTO),
    ]


def test_three_levels_of_nesting() -> None:
    rules = [_renamed(name, f"{name.upper()}-1") for name in ("abs", "sign", "sin")]
    outcome = run(TF + "x = tf.abs(tf.sign(tf.sin(tf.abs(2))))\n", *rules)
    assert outcome.after == TF + "x = new_abs(new_sign(new_sin(new_abs(2))))\n"
    assert len(outcome.findings) == 4


def test_places_are_those_of_the_original() -> None:
    def wrap(site: CallSite, made: Rule) -> Iterator[Diagnosis]:
        fix = site.fix()
        inner = site.file.text(site.node.args[0])
        fix.insert_before(site.node, "# one\n# two\n# three")
        fix.replace(site.node, f"new({inner})")
        yield done(site, made, fix)

    # only after the first fix is there anything for the second rule to find
    def seen(site: CallSite, made: Rule) -> Iterator[Diagnosis]:
        if "new(" in site.file.text(site.statement):
            fix = site.fix()
            fix.replace(site.node, "newer(3)")
            yield done(site, made, fix)

    text = TF + "\nx = tf.abs(tf.sign(3))\n"
    outcome = run(
        text, rule("A-1", "tf.abs", wrap), rule("B-1", "tf.sign", seen), _renamed("sign", "C-1")
    )
    assert "newer(3)" in outcome.after
    late = next(item for item in outcome.findings if item.code == "B-1")
    assert late.span.line == 3


def test_a_fix_that_breaks_the_file_is_told_and_left_out() -> None:
    def broken(site: CallSite, made: Rule) -> Iterator[Diagnosis]:
        fix = site.fix()
        fix.replace(site.node, "(")
        yield done(site, made, fix, "Replaced it.")

    outcome = run(
        TF + "x = tf.abs(1)\ny = tf.sign(2)\n",
        rule("A-1", "tf.abs", broken),
        _renamed("sign", "B-1"),
    )
    assert outcome.after == TF + "x = tf.abs(1)\ny = new_sign(2)\n"
    left_out, applied = outcome.findings
    assert (left_out.code, left_out.status, left_out.done) == ("A-1", Status.MANUAL, "")
    assert "would not have been valid Python" in left_out.todo
    assert "Replaced it." in left_out.todo
    assert applied.status is Status.AUTO


def test_a_fix_whose_place_another_took_is_told() -> None:
    def swallow(site: CallSite, made: Rule) -> Iterator[Diagnosis]:
        fix = site.fix()
        fix.replace(site.node, "gone(1)")
        yield done(site, made, fix)

    outcome = run(
        TF + "x = tf.abs(tf.sign(1))\n", rule("A-1", "tf.abs", swallow), _renamed("sign", "B-1")
    )
    assert outcome.after == TF + "x = gone(1)\n"
    assert "another change took its place" in outcome.findings[1].todo
    assert outcome.findings[1].status is Status.MANUAL


def test_the_finding_that_was_not_applied_is_the_one_told() -> None:
    def swallow(site: CallSite, made: Rule) -> Iterator[Diagnosis]:
        fix = site.fix()
        fix.replace(site.node, "gone()")
        yield done(site, made, fix)

    text = TF + "x = tf.abs(tf.sign(1))\ny = tf.exp(tf.sign(2))\n"
    outcome = run(
        text, rule("A-1", "tf.abs", swallow), _renamed("exp", "B-1"), _renamed("sign", "C-1")
    )
    assert outcome.after == TF + "x = gone()\ny = new_exp(new_sign(2))\n"
    reported = {item.span.line: item.status for item in outcome.findings if item.code == "C-1"}
    assert reported == {2: Status.MANUAL, 3: Status.AUTO}


def test_rules_that_undo_each_other_come_to_an_end() -> None:
    def swap(new: str) -> object:
        def handler(site: CallSite, made: Rule) -> Iterator[Diagnosis]:
            fix = site.fix()
            fix.replace(site.node, f"tf.{new}(tf.exp(1))")
            yield done(site, made, fix)

        return handler

    rules = [
        rule("A-1", "tf.abs", swap("sign")),  # type: ignore[arg-type]  # a handler by construction
        rule("B-1", "tf.sign", swap("abs")),  # type: ignore[arg-type]  # a handler by construction
        _renamed("exp", "C-1"),
    ]
    assert run(TF + "x = tf.abs(tf.exp(1))\n", *rules).after.startswith(TF)


def test_a_crash_in_a_rule_is_a_finding_and_the_others_go_on() -> None:
    def crash(site: CallSite, made: Rule) -> Iterator[Diagnosis]:
        raise ValueError("no such thing")

    outcome = run(
        TF + "x = tf.abs(tf.sign(1))\n", rule("A-1", "tf.abs", crash), _renamed("sign", "B-1")
    )
    assert outcome.after == TF + "x = tf.abs(new_sign(1))\n"
    reported = next(item for item in outcome.findings if item.code == "A-1")
    assert reported.status is Status.MANUAL
    assert "ValueError: no such thing" in reported.found
    assert reported.span.line == 2


def test_what_is_not_certain_is_not_rewritten() -> None:
    text = TF + "f = tf.abs if big else other\nx = f(1)\n"
    outcome = run(text, _renamed("abs", "A-1"))
    assert outcome.after == text
    (reported,) = outcome.findings
    assert (reported.possible, reported.status, reported.done) == (True, Status.MANUAL, "")


def test_other_files_are_seen_as_the_user_wrote_them() -> None:
    files = {
        "main.py": TF + "from util import make\nmake(tf.abs(tf.sign(1)))\n",
        "util.py": TF + "def make(x):\n    return tf.abs(tf.sign(x))\n",
    }
    rules = [_renamed("abs", "A-1"), _renamed("sign", "B-1")]
    assert run(files, *rules, path="util.py").after.endswith("return new_abs(new_sign(x))\n")
    assert run(files, *rules).after.endswith("make(new_abs(new_sign(1)))\n")


SUPPRESSED = {
    "this code": "x = tf.abs(1)  # ascendify: skip[A-1]\n",
    "its family": "x = tf.abs(1)  # ascendify: skip[A]\n",
    "everything": "x = tf.abs(1)  # ascendify: skip\n",
    "one of several": "x = tf.abs(1)  # ascendify: skip[B-1, a-1]\n",
    "with another remark": "x = tf.abs(1)  # noqa  # ascendify: skip[A-1]\n",
    "on the last line of the call": "x = tf.abs(\n    1)  # ascendify: skip[A-1]\n",
}


def test_a_remark_keeps_a_rule_away() -> None:
    for text in SUPPRESSED.values():
        outcome = run(TF + text, _renamed("abs", "A-1"))
        assert (outcome.after, outcome.findings) == (TF + text, [])


def test_a_remark_for_another_rule_does_not() -> None:
    outcome = run(TF + "x = tf.abs(1)  # ascendify: skip[B-1]\n", _renamed("abs", "A-1"))
    assert outcome.after == TF + "x = new_abs(1)  # ascendify: skip[B-1]\n"


def test_text_files_reach_their_fixed_point_too() -> None:
    made = Rule("A-1", "title", "why", (Status.AUTO,))
    other = Rule("B-1", "title", "why", (Status.AUTO,))

    def replaced(owner: Rule, old: str, new: str) -> None:
        @owner.text("shell")
        def handler(site: TextSite) -> Iterator[Diagnosis]:
            at = site.text.find(old)
            if at >= 0:
                edits = Changes([Edit(at, at + len(old), new)])
                end = at + len(old)
                yield owner.auto(site.at(at, end), "found", done="Done.", fix=edits)

    replaced(made, "mpirun -np 8", "run.sh 8")
    replaced(other, "8", "4")
    dispatch = Dispatch(frozenset())
    dispatch._exact[("text", "shell")] = [(r, r.triggers[0].handler) for r in (made, other)]
    project = Project(Path("/nowhere"), [])
    analyser = Analyser(Resolver(project, CatalogKnowledge()), dispatch, Facts())
    outcome = rewrite_text(
        analyser, TextSite("a.sh", "shell", "mpirun -np 8 python a.py\n", Facts())
    )
    assert outcome.after == "run.sh 4 python a.py\n"
    assert [item.code for item in outcome.findings] == ["A-1", "B-1"]
