"""Entries of YAML, JSON, TOML and INI: their keys, values and places."""

from __future__ import annotations

import pytest

from ascendify.source.entries import read

_YAML = """\
# remark
name: run  # behind a value
env:
- name: A
  value: "1"
- {name: B, value: nccl}
list: [cuda:0, !Ref 'cuda:1']
script: |
  nvidia-smi

  python x.py
command: python train.py
  --device cuda
deep:
  - - x
  - key: >-
      folded
anchor: &all
  a: !!str b
url: http://host/path:8
--- # another document
name: again
"""


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        (
            "a.yaml",
            _YAML,
            [
                (("name",), "run"),
                (("env", 0, "name"), "A"),
                (("env", 0, "value"), "1"),
                (("env", 1, "name"), "B"),
                (("env", 1, "value"), "nccl"),
                (("list", 0), "cuda:0"),
                (("list", 1), "cuda:1"),
                (("script",), "  nvidia-smi\n\n  python x.py\n"),
                (("command",), "python train.py\n  --device cuda"),
                (("deep", 0, 0), "x"),
                (("deep", 1, "key"), "      folded\n"),
                (("anchor", "a"), "b"),
                (("url",), "http://host/path:8"),
                (("name",), "again"),
            ],
        ),
        (
            "b.yaml",
            "last: value  \nitems:\n  - one \n",
            [(("last",), "value"), (("items", 0), "one")],
        ),
        (
            "a.json",
            '{"a": {"b": [1, "x"], "c": "say \\"no\\""},\n "d": true}',
            [
                (("a", "b", 0), "1"),
                (("a", "b", 1), "x"),
                (("a", "c"), 'say \\"no\\"'),
                (("d",), "true"),
            ],
        ),
        (
            "a.toml",
            "[tool.uv]\nx.y = 'z'  # remark\n[[index]]\nurl = \"u\"\n"
            'deps = [\n  "a", # one\n  "b",\n]\nt = {v = "1", w = ["2"]}\n',
            [
                (("tool", "uv", "x", "y"), "z"),
                (("index", "url"), "u"),
                (("index", "deps", 0), "a"),
                (("index", "deps", 1), "b"),
                (("index", "t", "v"), "1"),
                (("index", "t", "w", 0), "2"),
            ],
        ),
        (
            "a.cfg",
            "; remark\n[train]\ndevice = cuda ; first\nname: 'a b'\n",
            [(("train", "device"), "cuda"), (("train", "name"), "a b")],
        ),
    ],
    ids=["yaml", "spaces", "json", "toml", "ini"],
)
def test_entries_have_keys_values_and_places(
    path: str, text: str, expected: list[tuple[object, str]]
) -> None:
    entries = read(path, text)
    assert [(entry.keys, entry.value) for entry in entries] == expected
    assert all(text[entry.start : entry.end] == entry.value for entry in entries)


_ODD = (
    "", "{", "[", "a: [", "a = [", 'a: "', "- - -", "{{ x }}: {{ y }}", "? x\n: y", ":\n:",
    "[" * 200, "a: {b", "\ta: b", "a: |", "'", "=", "a: &x", "%YAML 1.2\n---\n!t {a: b}", "}",
    "a: b: c",
)  # fmt: skip


@pytest.mark.parametrize("path", ["a.yaml", "a.json", "a.toml", "a.cfg"])
@pytest.mark.parametrize("text", _ODD)
def test_no_text_stops_the_reader(path: str, text: str) -> None:
    assert all(text[entry.start : entry.end] == entry.value for entry in read(path, text))
