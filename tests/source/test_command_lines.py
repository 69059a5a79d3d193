"""Commands inside other files: the script that is read, and edits of it as edits of the file."""

from __future__ import annotations

import pytest

from ascendify.source.command_lines import Form, find
from ascendify.source.edits import Edit, apply

_DOCKERFILE = """\
FROM ubuntu
ENV A=1 \\
    B=2
RUN one && \\
    # between
    two
CMD ["a", "--b", "c d"]
"""


def test_a_dockerfile_is_read_without_the_remarks_between_its_lines() -> None:
    scripts = find("docker", "Dockerfile", _DOCKERFILE)
    assert [(script.text, script.form) for script in scripts] == [
        ("A=1 \\\n    B=2", Form.SCRIPT),
        ("one && \\\n    two", Form.SCRIPT),
        ("c d", Form.LINE),
        ("a --b ... ", Form.WORDS),
    ]
    assert [script.runs for script in scripts] == [False, True, True, True]


def test_a_makefile_is_read_as_its_shell_sees_it() -> None:
    text = "export N := 1\nall: x\n\t@echo $$HOME $(PY) \\\n\t  more\n"
    assert [script.text for script in find("make", "Makefile", text)] == [
        "N=1",
        "echo $HOME ${PY} \\\n\t  more",
    ]


@pytest.mark.parametrize(
    ("path", "text", "old", "new", "after"),
    [
        ("a.yaml", "run: |\n  one\n  two  # x\n", "two", "2", "run: |\n  one\n  2  # x\n"),
        ("a.yaml", "run: |\n  one\n  two\n", "one\n", "", "run: |\n  two\n"),
        ("a.yaml", "command: [a, 'b', c]", "b", "x", "command: [a, 'x', c]"),
        ("a.yaml", "command: [a, 'b', c]", "b", "x y", None),
        ("a.yaml", "command: a b # c", "b", "x: y", None),
        ("a.json", '{"cmd": "a b"}', "b", 'say "x"', None),
        ("a.json", '{"cmd": "a b"}', "b", "x y", '{"cmd": "a x y"}'),
        ("a.yaml", "env:\n  A: 1\n  B: 2\n", "A=1\n", "", "env:\n  B: 2\n"),
        ("a.yaml", "env:\n  A: 1\n", "A=1", "", ""),
        ("a.yaml", "env: {A: 1, B: 2}\n", "A=1\n", "", None),
        ("a.yaml", "env: {A: 1, B: 2}\n", "A", "C", "env: {C: 1, B: 2}\n"),
        ("a.yaml", "env:\n- A=1\n- B=2\n", "B", "C", "env:\n- A=1\n- C=2\n"),
    ],
)
def test_an_edit_of_a_script_is_one_of_the_file_where_it_fits(
    path: str, text: str, old: str, new: str, after: str | None
) -> None:
    (script,) = find("config", path, text)
    start = script.text.index(old)
    edit = script.edit(Edit(start, start + len(old), new))
    assert (None if edit is None else apply(text, [edit])) == after
