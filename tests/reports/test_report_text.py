"""The report for people, in a terminal and in a file."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from typing import Callable

import pytest
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from ascendify.findings import Effort, Finding, Status
from ascendify.reports import text
from ascendify.reports.model import ApiUse, FileAction, FileResult, Place, Report

Make = Callable[..., Finding]


def printed(report: Report, *, verbosity: int = 0, **console: object) -> str:
    page = io.StringIO()
    text.render(report, Console(file=page, **console), verbosity)  # type: ignore[arg-type]  # any option
    return page.getvalue()


def flooded(report: Report, make: Make, count: int = 42) -> Report:
    findings = tuple(
        make("TF1-FLOOD-1", Status.MANUAL, f"f{n:02}.py", n + 1, todo="the same", found=f"no. {n}")
        for n in range(count)
    )
    return replace(report, findings=findings)


def test_the_first_screen(report: Report) -> None:
    assert text.to_text(report).splitlines()[:6] == [
        "ascendify migrate /home/me/crnn -> /home/me/crnn_npu",
        "Files     2 changed of 5 analysed, 1 added, 1 copied, 2 unreadable, 1 already migrated",
        "Findings  1 blocker, 2 to do by hand, 1 rewritten and to check, 1 possible,"
        " 3 rewritten, 1 note",
        "Readiness █████░░░░░░░░░░░░░░░ 25/100",
        "Effort    about 3.9 days left: TF1-DTYPE-1 (rewrite), TF1-DATA-5 x2 (hours),"
        " unreadable files x2 (hours), TF1-DATA-1 x2 (minutes)",
        "",
    ]


def test_sections_are_in_reading_order(report: Report) -> None:
    page = text.to_text(report)
    headings = [
        "Blockers (1)",
        "Needs a decision (4)",
        "Done (3)",
        "Worth knowing (1)",
        "APIs (9 distinct)",
        "Could not be read (2)",
        "What to do next",
    ]
    assert [line for line in page.splitlines() if line in headings] == headings


def test_a_finding_says_where_what_done_and_to_do(report: Report) -> None:
    assert (
        "    train.py:7:5 TF1-DATA-1 ds.batch(32) keeps a last, smaller batch\n"
        "      done: added drop_remainder=True\n"
        "      to do: Check that losing up to 31 samples an epoch is fine.\n"
    ) in text.to_text(report)


def test_advice_of_several_lines_keeps_its_shape(report: Report) -> None:
    assert (
        "      to do: Read the files with tf.data:\n"
        "          dataset = tf.data.TFRecordDataset(files)\n"
    ) in text.to_text(report)


def test_possible_findings_say_so(report: Report) -> None:
    assert "train.py:9:5 TF1-DATA-1 possible: x.batch(8) may be" in text.to_text(report)


def test_rewrites_are_counted_and_listed_on_request(report: Report) -> None:
    rule = "auto TF1-SESS-1 Session configuration x2 in 2 files"
    place = "notebooks/demo.ipynb:cell 4:2:1 TF1-SESS-1 tf.Session( graph=g ) has no NPU"
    brief, full = text.to_text(report), text.to_text(report, 1)
    assert rule in brief
    assert rule in full
    assert place not in brief
    assert place in full


def test_verbose_tells_every_finding(report: Report) -> None:
    page = text.to_text(report, 1)
    for finding in report.findings:
        assert f"{finding.path}:" in page
        assert finding.found.split("\n")[0] in page
        assert finding.todo.split("\n")[0] in page


def test_apis_in_question_come_with_note_and_place(report: Report) -> None:
    page = text.to_text(report)
    assert "    unsupported tf.complex x5 about tf.complex [train.py:5]\n" in page
    assert (
        "    works after rewriting, with limits tf.device x4 about tf.device [train.py:4]\n" in page
    )
    assert "about tf.add" not in page
    assert "1 supported, 1 works after rewriting, 1 harmless" in page
    assert "(verdicts of CANN 8.5)" in page


def test_many_apis_with_one_verdict_share_a_line(report: Report) -> None:
    uses = tuple(
        ApiUse(
            f"tf.contrib.a{n}", "deprecated", "deprecated", "old", 9 - n, (Place("a.py", n + 1),)
        )
        for n in range(8)
    )
    crowded = replace(report, apis=(*report.apis, *uses))
    line = next(row for row in text.to_text(crowded).splitlines() if "tf.contrib.a0" in row)
    assert line.startswith("    deprecated tf.contrib.a0 x9, tf.contrib.a1 x8,")
    assert line.endswith("tf.contrib.a5 x4 and 2 more (-v shows all): old")
    assert "    deprecated tf.contrib.a7 x2 old [a.py:8]\n" in text.to_text(crowded, 1)


def test_unreadable_files_have_line_and_reason(report: Report) -> None:
    assert "  old/py2.py:14: Python 2 print statement\n" in text.to_text(report)


def test_one_rule_does_not_flood(report: Report, make: Make) -> None:
    page = text.to_text(flooded(report, make))
    assert page.count("TF1-FLOOD-1 no. ") == 5
    assert "    ... and 37 more (-v shows all)\n" in page
    assert page.count("to do: the same") == 1, "one advice for a run of places"


def test_verbose_shows_the_whole_flood(report: Report, make: Make) -> None:
    page = text.to_text(flooded(report, make), 1)
    assert page.count("TF1-FLOOD-1 no. ") == 42
    assert "more (-v" not in page


def test_many_reasons_are_cut(clean: Report, make: Make) -> None:
    findings = tuple(make(f"R-{n}", Status.MANUAL, "a.py", effort=Effort.MINUTES) for n in range(6))
    page = text.to_text(replace(clean, findings=findings))
    assert "R-3 (minutes) and 2 more rules\n" in page


def test_quiet_is_two_lines(report: Report, clean: Report) -> None:
    assert text.to_text(report, text.QUIET) == (
        "1 blocker, 2 to do by hand\n"
        "readiness 25/100, effort left: about 3.9 days, 2 unreadable files\n"
    )
    assert text.to_text(clean, text.QUIET) == (
        "0 blockers, 0 to do by hand\nreadiness 100/100, effort left: none\n"
    )


def test_a_folder_without_training_code_is_not_ready(clean: Report) -> None:
    nothing = replace(clean, files=())
    assert text.to_text(nothing, text.QUIET).endswith("readiness unknown, effort left: none\n")
    assert "Readiness unknown\n" in text.to_text(nothing)


def test_statistics(report: Report, clean: Report) -> None:
    assert text.to_text(report, statistics=True).splitlines() == [
        "code         title                  status         count",
        "TF1-DTYPE-1  Unsupported data type  blocker            1",
        "TF1-DATA-5   Queues and readers     manual             2",
        "TF1-DATA-1   Static batch size      auto-check         1",
        "TF1-DATA-1   Static batch size      possible auto      1",
        "TF1-SESS-1   Session configuration  auto               2",
        "HVD-INIT-1   Horovod start          auto               1",
        "TF1-LOG-1    Summaries              info               1",
        "total                                                  9",
    ]
    assert text.to_text(clean, statistics=True) == "No findings.\n"


def test_a_dry_run_promises_instead_of_claiming(report: Report) -> None:
    page = text.to_text(replace(report, command="check", output=None))
    assert "Files     2 to change of 5 analysed" in page
    assert "Will be rewritten (3)\n" in page
    assert "      fix: added drop_remainder=True\n" in page
    assert "done:" not in page


def test_a_file_gets_the_plain_text_unwrapped(
    report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    assert printed(report, width=40) == text.to_text(report)


def test_a_terminal_gets_colours_and_the_same_words(report: Report) -> None:
    page = printed(report, force_terminal=True, color_system="truecolor", width=400)
    assert "\x1b[" in page
    assert Text.from_ansi(page).plain.rstrip() == text.to_text(report).rstrip()


def test_no_color_leaves_no_colour(report: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    page = printed(report, force_terminal=True, color_system="truecolor", width=100)
    assert "\x1b[1m" in page, "weight is not a colour"
    assert not re.search(r"\x1b\[(?:\d+;)*(?:3[0-8]|9[0-7])[;m]", page)


@pytest.mark.parametrize("width", [30, 60, 80, 120])
@pytest.mark.parametrize("verbosity", [text.QUIET, 0, 1])
def test_wrapping_fits_and_loses_nothing(report: Report, width: int, verbosity: int) -> None:
    page = text.to_text(report, verbosity, width=width)
    assert max(cell_len(line) for line in page.splitlines()) <= width
    assert "".join(page.split()) == "".join(text.to_text(report, verbosity).split())


def test_no_line_ends_in_blanks(report: Report) -> None:
    for page in (text.to_text(report), text.to_text(report, 1, width=60)):
        assert all(line == line.rstrip() for line in page.splitlines())


def test_an_ascii_console_gets_ascii(report: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    raw = io.BytesIO()
    file = io.TextIOWrapper(raw, encoding="ascii", errors="strict", newline="\n")
    text.render(report, Console(file=file))
    file.flush()
    page = raw.getvalue().decode("ascii")
    assert "Readiness #####............... 25/100" in page
    assert "data/\\u8f93\\u5165 \\u7ba1\\u9053.py:12:5" in page


def test_names_cannot_command_the_terminal(clean: Report, make: Make) -> None:
    findings = (
        make("X", Status.MANUAL, "\x1b]0;pwned\x07.py", found="\x1b[2J", todo="\x1b[1m\nx"),
    )
    files = (FileResult("\x1b[8m.py", FileAction.UNREADABLE, reason="\x1b[8m"),)
    page = text.to_text(replace(clean, root="\x1b[8m", findings=findings, files=files), 1)
    assert "\x1b" not in page
    assert "\\x1b]0;pwned\\x07.py:1:5 X \\x1b[2J\n" in page


def test_markup_in_user_text_is_text(clean: Report, make: Make) -> None:
    findings = (make("X", Status.MANUAL, "a.py", found="x[bold] :smile: [/red]"),)
    page = printed(replace(clean, findings=findings), force_terminal=True, width=200)
    assert "x[bold] :smile: [/red]" in page
