"""Reading: what the guides print is accepted, what nobody can use is one clear error."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from ascendify.cluster import files
from ascendify.cluster.ranktable import RankTableError, dump, find, read, read_file
from ascendify.errors import UsageError
from support.ranktable_cases import DELETED, SAMPLES, VERSION_1_0, changed, reading

AS_PRINTED = """
{
"server_count":"1",  //server数目
"server_list":       # 本次参与训练的Server实例列表
[
   {
        "device":[    /* server中的device列表 */
                       {
                        "device_id":"0",
                        "device_ip":"192.168.0.2",
                        "rank_id":"0",
                        },
                  ],
         "server_id":"10.0.0.10"
    }
],
"status":"completed",
"version":"1.0"
}
"""


@pytest.mark.parametrize("template", SAMPLES)
def test_the_documents_tables_are_read_without_a_word(template: str) -> None:
    found = reading(SAMPLES[template])
    assert (found.table.template, found.warnings, found.unused) == (template, (), {})
    assert type(found.table) is find(template)


@pytest.mark.parametrize("template", SAMPLES)
def test_a_table_is_written_as_it_was_read(template: str) -> None:
    table = reading(SAMPLES[template]).table
    assert read(dump(table)).table == table


def test_a_device_is_one_line() -> None:
    lines = dump(reading(VERSION_1_0).table).splitlines()
    assert '        {"device_id": "0", "rank_id": "0", "device_ip": "192.168.1.8"},' in lines


def test_comments_and_spare_commas_are_accepted_with_their_line() -> None:
    found = read(AS_PRINTED, "table.json")
    assert [(place.rank, place.ip) for place in found.table.placements] == [(0, "192.168.0.2")]
    assert [(p.path, p.rule, p.severity) for p in found.warnings] == [
        ("$ (line 3, the first of 3)", "JSON has no comment", "warning"),
        ("$ (line 11, the first of 2)", "JSON has no comma before a closing bracket", "warning"),
    ]
    assert all("HCCL refuses" in problem.advice for problem in found.warnings)


def test_what_looks_like_a_comment_in_a_string_is_none() -> None:
    found = read(changed("1.0", "$.server_list[0].server_id", "http://node#0/*"), "table.json")
    assert (found.table.placements[0].server, found.warnings) == ("http://node#0/*", ())


def test_a_byte_order_mark_is_accepted_with_a_warning() -> None:
    found = read("\ufeff" + json.dumps(VERSION_1_0))
    assert [problem.rule for problem in found.warnings] == ["no byte order mark"]


@pytest.mark.parametrize(
    ("template", "path", "value", "advice"),
    [
        pytest.param("1.0", "$.server_list[0].device[1].rank_id", 1, 'write "1"', id="1.0"),
        pytest.param("1.0", "$.server_count", 2, 'write "2"', id="count"),
        pytest.param("2", "$.group_list[0].device_count", 2, 'write "2"', id="2"),
        pytest.param(
            "1.2", "$.server_list[0].device[0].host_port", 16665, 'write "16665"', id="1.2"
        ),
        pytest.param("2.0", "$.rank_list[0].rank_id", "0", "write 0", id="2.0"),
        pytest.param("1.0", "$.server_list[0].server_id", 7, 'write "7"', id="name"),
    ],
)
def test_numbers_of_the_wrong_kind_are_read_with_a_warning(
    template: str, path: str, value: object, advice: str
) -> None:
    found = read(changed(template, path, value))
    assert [(p.path, p.severity, p.advice) for p in found.warnings] == [(path, "warning", advice)]


@pytest.mark.parametrize(
    ("key", "warned"),
    [
        pytest.param("container_ip", False, id="of-the-vendors-scheduler"),
        pytest.param("colour", True, id="unknown"),
    ],
)
def test_keys_of_no_template_are_counted(key: str, warned: bool) -> None:
    found = read(changed("1.0", f"$.server_list[1].{key}", "10.0.0.1"))
    assert found.unused == {key: 1}
    assert [(p.path, p.value) for p in found.warnings] == (
        [("$.server_list[1]", f'"{key}"')] if warned else []
    )


MALFORMED = [
    pytest.param("", r"\$ \(line 1, column 1\): the file is empty", id="empty"),
    pytest.param(" \n\t", r"\$ \(line 2, column 2\): the file is empty", id="only-space"),
    pytest.param(
        "{} /* cut", r"line 1, column 4\): a comment that does not end", id="open-comment"
    ),
    pytest.param("// nothing\n", "only comments", id="only-comments"),
    pytest.param("[]", r"\$: a rank table is an object", id="list"),
    pytest.param("3", r"\$: a rank table is an object in \{ \}, found 3", id="number"),
    pytest.param("{}", "neither server_list, group_list nor rank_list", id="nothing-in-it"),
    pytest.param('{"version": "9"}', 'nor rank_list, found version "9"', id="version-only"),
    pytest.param('{"server_group_list": []}', "MindIE", id="table-of-mindie"),
    pytest.param("{'a': 1}", r"line 1, column 2\): JSON strings have double", id="single-quotes"),
    pytest.param("{a: 1}", "expected a key in double quotes", id="bare-key"),
    pytest.param('{"a": [1, 2', r"\$\.a .*expected , or \], but the file ends", id="cut-off"),
    pytest.param(
        '{"a": [1,\n 2 3]}', r"\$\.a \(line 2, column 4\): expected , or \]", id="no-comma"
    ),
    pytest.param(
        '{"a": {"b": "x\n"}}', r"\$\.a\.b \(line 1, column 13\): a string that does", id="newline"
    ),
    pytest.param('{"a": "\\q"}', r"\$\.a .*an escape that JSON does not have", id="bad-escape"),
    pytest.param('{"a": 1} {', "more text after the end of the table", id="more-follows"),
    pytest.param(
        '{"a": [{"b": 1,\n"b": 2}]}', r'\$\.a\[0\] \(line 2.*"b" appears twice', id="twice"
    ),
    pytest.param('{"a": [NaN]}', r"\$\.a\[0\] .*NaN is not a JSON number", id="nan"),
    pytest.param('{"a": -Infinity}', r"\$\.a .*-Infinity is not a JSON number", id="infinity"),
    pytest.param('{"a": 012}', "a number that starts with 0", id="octal"),
    pytest.param('{"a": True}', r"\$\.a .*expected a value", id="python-word"),
    pytest.param('{"a": ' + "9" * 5000 + "}", r"\$\.a .*a number of 5000 digits", id="long-number"),
    pytest.param("[" * 100_000, r"\[0\].*nested deeper than 64", id="deep-lists"),
    pytest.param('{"a":' * 100_000, r"\$\.a\.a.*nested deeper than 64", id="deep-objects"),
    pytest.param(
        '{"a": "\x07"}', r"\$\.a .*a string that does not end", id="raw-control-character"
    ),
    pytest.param("\0", r'the character "\\u0000" is not allowed here', id="nul"),
]


@pytest.mark.parametrize(("text", "message"), MALFORMED)
def test_malformed_text_is_one_error_with_its_place(text: str, message: str) -> None:
    with pytest.raises(RankTableError) as caught:
        read(text, "table.json")
    assert re.search(message, caught.value.message), caught.value.message
    assert caught.value.message.startswith("table.json: $")
    assert len(caught.value.message) < 400
    assert caught.value.message.isprintable()


DEVICE = "$.server_list[0].device[0]"
WRONG_TYPES = [
    pytest.param("1.0", "$.server_list", {}, "a list", id="object-for-list"),
    pytest.param("1.0", "$.server_list[1]", "node", "an object", id="string-for-object"),
    pytest.param("1.0", "$.server_list[0].device", None, "a list", id="null-for-list"),
    pytest.param("1.0", f"{DEVICE}.rank_id", "one", "a number in quotes", id="word-for-number"),
    pytest.param("1.0", f"{DEVICE}.rank_id", "-1", "a number in quotes", id="negative"),
    pytest.param("1.0", f"{DEVICE}.rank_id", -1, "a number in quotes", id="negative-number"),
    pytest.param("1.0", f"{DEVICE}.rank_id", 1.0, "a number in quotes", id="float"),
    pytest.param("1.0", f"{DEVICE}.rank_id", True, "a number in quotes", id="boolean"),
    pytest.param("1.0", f"{DEVICE}.rank_id", "1" * 400, "a number in quotes", id="long-digits"),
    pytest.param("1.0", f"{DEVICE}.rank_id", "²", "a number in quotes", id="digit-of-unicode"),
    pytest.param("1.0", f"{DEVICE}.device_ip", ["1"], "a string", id="list-for-string"),
    pytest.param("1.0", "$.server_list[0].server_id", "a\x1b[31m", "no control", id="escape"),
    pytest.param("1.0", "$.server_list[0].server_id", "a\ud800", "no control", id="surrogate"),
    pytest.param("2", "$.group_list[0].instance_list", 3, "a list", id="template-2"),
    pytest.param("1.2", "$.super_pod_list[0]", [], "an object", id="super-pod"),
    pytest.param("2.0", "$.rank_list[0].local_id", -1, "a number from 0", id="negative-2.0"),
    pytest.param(
        "2.0", "$.rank_list[0].level_list[0].rank_addr_list[0].ports[0]", {}, "a string", id="port"
    ),
]


@pytest.mark.parametrize(("template", "path", "value", "rule"), WRONG_TYPES)
def test_values_of_a_wrong_type_are_errors_with_their_path(
    template: str, path: str, value: object, rule: str
) -> None:
    with pytest.raises(RankTableError) as caught:
        read(changed(template, path, value), "table.json")
    (problem,) = caught.value.problems
    assert (problem.path, problem.severity) == (path, "error")
    assert rule in problem.rule
    assert caught.value.message.isprintable()
    caught.value.message.encode()


REQUIRED = [
    ("1.0", "$", ("status", "version", "server_count")),
    ("1.0", "$.server_list[0]", ("server_id", "device")),
    ("1.0", DEVICE, ("device_id", "rank_id")),
    ("2", "$", ("status", "group_count")),
    ("2", "$.group_list[0]", ("instance_count", "device_count", "instance_list")),
    ("2", "$.group_list[0].instance_list[1]", ("pod_name", "server_id", "devices")),
    ("2", "$.group_list[0].instance_list[1].devices[0]", ("device_id",)),
    ("1.2", "$", ("status",)),
    ("1.2", "$.super_pod_list[0]", ("super_pod_id", "server_list")),
    ("2.0", "$", ("status", "version", "rank_count")),
    ("2.0", "$.rank_list[3]", ("rank_id", "local_id", "device_id", "level_list")),
    (
        "2.0",
        "$.rank_list[3].level_list[1]",
        ("net_layer", "net_instance_id", "net_type", "rank_addr_list"),
    ),
    ("2.0", "$.rank_list[3].level_list[1].rank_addr_list[0]", ("addr_type", "addr", "ports")),
]


@pytest.mark.parametrize(
    ("template", "path", "key"), [(t, path, key) for t, path, keys in REQUIRED for key in keys]
)
def test_what_is_required_is_missed(template: str, path: str, key: str) -> None:
    with pytest.raises(RankTableError) as caught:
        read(changed(template, f"{path}.{key}", DELETED), "table.json")
    assert [(p.path, p.rule) for p in caught.value.problems] == [(path, f"{key} is missing")]


def test_a_misspelled_key_is_pointed_at() -> None:
    text = json.dumps(VERSION_1_0).replace('"rank_id": "3"', '"rankid": "3"')
    with pytest.raises(RankTableError) as caught:
        read(text, "table.json")
    assert caught.value.hint == "write it instead of rankid"


def test_strange_keys_without_end_are_counted_but_few_are_reported() -> None:
    strange = {f"key{number}": "x" for number in range(10**5)}
    found = reading({**VERSION_1_0, **strange})
    assert (len(found.unused), len(found.warnings)) == (10**5, 50)


def test_all_that_does_not_fit_is_reported() -> None:
    text = json.dumps(VERSION_1_0).replace('"device_id": "1"', '"device_id": "x"')
    with pytest.raises(RankTableError) as caught:
        read(text, "table.json")
    assert [problem.path for problem in caught.value.problems] == [
        "$.server_list[0].device[1].device_id",
        "$.server_list[1].device[1].device_id",
    ]
    assert "(and 1 more)" in caught.value.message


def test_a_file_is_read(tmp_path: Path) -> None:
    file = tmp_path / "table.json"
    file.write_text(json.dumps(VERSION_1_0), encoding="utf-8")
    assert read_file(file).source == str(file)


def test_files_that_are_no_text_are_errors(tmp_path: Path) -> None:
    latin = tmp_path / "latin.json"
    latin.write_bytes(b'{\n"a": "\xe9"}')
    utf16 = tmp_path / "utf16.json"
    utf16.write_text("{}", encoding="utf-16")
    cases = {
        latin: "not UTF-8: byte 0xe9 in line 2",
        utf16: "not UTF-8: byte 0xff in line 1",
        tmp_path: "is a folder",
        tmp_path / "none.json": "does not exist",
        latin / "below": "does not exist",
        Path("/dev/zero"): "is no regular file",
        tmp_path / "nul\0.json": "cannot be read",
    }
    for path, message in cases.items():
        with pytest.raises(UsageError, match=message):
            read_file(path)


def test_a_file_past_1_gb_is_refused_unread(tmp_path: Path) -> None:
    file = tmp_path / "huge.json"
    with file.open("wb") as stream:
        stream.truncate(files.LARGEST + 1)  # a sparse file: it takes no room
    with pytest.raises(UsageError, match="more than 1 GB"):
        read_file(file)
