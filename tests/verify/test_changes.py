"""Where two versions of a project differ, and versions that differ in some places only."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascendify.verify.changes import Change, apply_changes, find_changes

_BEFORE = b"import a\n\nx = 1\ny = 2\nz = 3\n"


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        pytest.param(_BEFORE, [], id="nothing"),
        pytest.param(
            _BEFORE.replace(b"1", b"5").replace(b"2", b"6"),
            [
                Change("f", 2, ("x = 1\n",), ("x = 5\n",), 2),
                Change("f", 3, ("y = 2\n",), ("y = 6\n",), 3),
            ],
            id="line by line",
        ),
        pytest.param(
            _BEFORE.replace(b"import a\n", b"import a\nimport b\n"),
            [Change("f", 1, (), ("import b\n",), 1)],
            id="a line more",
        ),
        pytest.param(
            _BEFORE.replace(b"y = 2\n", b""), [Change("f", 3, ("y = 2\n",), (), 3)], id="one less"
        ),
        pytest.param(
            _BEFORE[:-1],
            [Change("f", 4, ("z = 3\n",), ("z = 3",), 4)],
            id="the end of the last line",
        ),
        pytest.param(
            _BEFORE.replace(b"x", b"\xff"),
            [Change("f", 2, ("x = 1\n",), ("\xff = 1\n",), 2)],
            id="bytes that are no text",
        ),
    ],
)
def test_pieces(after: bytes, expected: list[Change]) -> None:
    assert find_changes({"f": _BEFORE}, {"f": after}) == expected


def test_a_file_that_only_one_version_has() -> None:
    assert find_changes({}, {"new.py": b"x\n"}) == [Change("new.py", 0, (), ("x\n",))]
    assert find_changes({"old.py": b"x\n"}, {}) == [Change("old.py", 0, ("x\n",), ())]


_FILES = st.dictionaries(
    st.sampled_from(["a.py", "b.py"]),
    st.lists(st.sampled_from([b"x\n", b"y\n", b"\n", b"  z\r\n", b"\xe4"]), max_size=12).map(
        b"".join
    ),
)


@given(_FILES, _FILES)
def test_all_changes_make_the_other_version(
    first: dict[str, bytes], second: dict[str, bytes]
) -> None:
    made = apply_changes(first, find_changes(first, second))
    assert {path: made.get(path, b"") for path in {*first, *second}} == {
        path: second.get(path, b"") for path in {*first, *second}
    }


@given(_FILES, _FILES, st.data())
def test_changes_are_independent(
    first: dict[str, bytes], second: dict[str, bytes], data: st.DataObject
) -> None:
    """Some of the changes, then the rest, come to the other version as well."""
    changes = find_changes(first, second)
    some = [change for change in changes if data.draw(st.booleans())]
    partly = apply_changes(first, some)
    again = apply_changes(partly, find_changes(partly, second))
    assert {path: text for path, text in again.items() if text} == {
        path: text for path, text in second.items() if text
    }
    assert len(find_changes(first, partly)) <= len(changes)
