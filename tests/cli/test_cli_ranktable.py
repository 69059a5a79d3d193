"""``ascendify ranktable`` as a user's shell runs it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from support.commands import ascendify

UNSET = {"RANK_SIZE": "", "RANK_ID": "", "RANK_TABLE_FILE": "", "ASCEND_DEVICE_ID": ""}


def create(*args: str | Path) -> str:
    result = ascendify("ranktable", "create", *args)
    assert result.returncode == 0, result.stderr
    return result.stdout


def check(*args: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Check, in an environment that says nothing else of a job."""
    return ascendify("ranktable", "check", *args, variables={**UNSET, **environment})


def servers(text: str) -> dict[str, list[str]]:
    return {
        server["server_id"]: [device["device_id"] for device in server["device"]]
        for server in json.loads(text)["server_list"]
    }


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Two servers of eight devices."""
    file = tmp_path / "table.json"
    file.write_text(create("--servers", "2"), encoding="utf-8")
    return file


def test_create_from_counts_says_that_addresses_are_made_up() -> None:
    result = ascendify("ranktable", "create", "--servers", "2", "--devices", "4")
    assert (result.returncode, servers(result.stdout)) == (
        0,
        {"node_0": ["0", "1", "2", "3"], "node_1": ["0", "1", "2", "3"]},
    )
    assert result.stderr.startswith("warning: addresses were made up")


def test_create_from_hosts_and_files(tmp_path: Path) -> None:
    (tmp_path / "hosts").write_text("a slots=1\nb slots=1\n", encoding="utf-8")
    (tmp_path / "hccn").write_text("address_0=10.0.0.1\n", encoding="utf-8")
    (tmp_path / "lab.toml").write_text('[[server]]\nhost = "a"\nhccn = "hccn"\n', encoding="utf-8")
    assert servers(create("--hosts", "a:4-5,b:4-5")) == {"a": ["4", "5"], "b": ["4", "5"]}
    assert servers(create("--hosts", "a,b", "-n", "1")) == {"a": ["0"], "b": ["0"]}
    assert servers(create("--inventory", tmp_path / "hosts")) == {"a": ["0"], "b": ["0"]}
    for args in (["--inventory", tmp_path / "lab.toml"], ["--hccn", f"a={tmp_path / 'hccn'}"]):
        result = ascendify("ranktable", "create", *args)
        assert (result.returncode, result.stderr) == (0, "")
        assert '"device_ip": "10.0.0.1"' in result.stdout


def test_create_without_addresses_tells_where_they_are_needed() -> None:
    result = ascendify("ranktable", "create", "--hosts", "a:1,b:1", "--no-addresses")
    assert "device_ip" not in result.stdout
    assert "with several servers every device has an address" in result.stderr


def test_create_from_counts_without_addresses() -> None:
    result = ascendify("ranktable", "create", "-n", "2", "--no-addresses", "--hardware", "910B")
    assert (result.returncode, result.stderr) == (0, "")
    assert "device_ip" not in result.stdout


@pytest.mark.parametrize("template", ["1.0", "2", "1.2", "2.0"])
def test_what_is_created_is_clean_in_every_template(tmp_path: Path, template: str) -> None:
    file = tmp_path / "table.json"
    made = ascendify("ranktable", "create", "-s", "2", "-t", template, "-o", file)
    assert (made.returncode, made.stdout) == (0, "")
    result = check(file)
    assert (result.returncode, result.stdout) == (
        0,
        f"{file}: template {template}, completed, 16 ranks on 2 servers\n  no problem\n",
    )


@pytest.mark.parametrize(
    ("args", "message"),
    [
        pytest.param([], "nothing to make a table of", id="nothing"),
        pytest.param(["--servers", "1", "--hosts", "a"], "exclude each other", id="two-ways"),
        pytest.param(["--inventory", "none.toml"], "none.toml does not exist", id="no-file"),
        pytest.param(["--inventory", "x", "-n", "2"], "says which devices", id="count-and-file"),
        pytest.param(["--hccn", "hccn.conf"], "names no server", id="hccn-without-server"),
        pytest.param(["--hccn", "a=x", "--hccn", "a=y"], "names a twice", id="hccn-twice"),
        pytest.param(["--servers", "0"], "0 servers", id="no-server"),
        pytest.param(["--devices", "3", "--hardware", "910A"], "1, 2, 4 or 8", id="hardware"),
        pytest.param(["--devices", "1", "--hardware", "V100"], "unknown", id="no-hardware"),
        pytest.param(["--devices", "1", "-t", "4"], "there is no template 4", id="no-template"),
        pytest.param(["--devices", "1", "-o", "."], "is a folder", id="output-folder"),
        pytest.param(["--devices", "1", "-o", "no/x"], "does not exist", id="output-nowhere"),
        pytest.param(["--hosts", "-oProxyCommand=x"], "valid server name", id="option-as-host"),
    ],
)
def test_create_refuses(tmp_path: Path, args: list[str], message: str) -> None:
    result = ascendify("ranktable", "create", *args, cwd=tmp_path)
    assert (result.returncode, result.stdout) == (2, "")
    error, hint = result.stderr.splitlines()
    assert error.startswith("error: ")
    assert message in error
    assert hint.startswith("hint: ")
    assert list(tmp_path.iterdir()) == []


def test_check_tells_the_path_the_value_and_the_rule(tmp_path: Path, table: Path) -> None:
    text = table.read_text(encoding="utf-8")
    table.write_text(text.replace('"rank_id": "15"', '"rank_id": "3"'), encoding="utf-8")
    result = check(table)
    assert (result.returncode, result.stdout.splitlines()[1:]) == (
        1,
        [
            "  error    $.server_list[1].device[7].rank_id: every rank_id appears once, found 3",
            "           $.server_list[0].device[3] has it too; free: 15",
            "  1 error",
        ],
    )


def test_check_takes_several_files_and_goes_on_after_a_bad_one(tmp_path: Path, table: Path) -> None:
    (tmp_path / "broken.json").write_text('{"server_list": [\n', encoding="utf-8")
    result = check(tmp_path / "broken.json", table)
    assert result.returncode == 1
    assert (
        "$.server_list[0] (line 2, column 1): expected a value, but the file ends" in result.stdout
    )
    assert "no problem" in result.stdout
    missing = check(tmp_path / "none.json", table, tmp_path)
    assert (missing.returncode, missing.stderr) == (2, "")
    assert f"{tmp_path / 'none.json'} does not exist" in missing.stdout
    assert f"{tmp_path} is a folder" in missing.stdout


def test_check_compares_with_the_environment_unless_reported_not_to(table: Path) -> None:
    wrong = {"RANK_SIZE": "32", "CM_CHIEF_IP": "10.0.0.1"}
    result = check(table, **wrong)
    assert result.returncode == 1
    assert 'RANK_SIZE: the table has 16 ranks, found "32"' in result.stdout
    assert "CM_CHIEF_IP" in result.stdout
    assert check(table, "--no-environment", **wrong).returncode == 0


def test_warnings_count_only_when_strict(table: Path) -> None:
    commented = f"// of the lab\n{table.read_text(encoding='utf-8')}"
    table.write_text(commented, encoding="utf-8")
    result = check(table)
    assert (result.returncode, result.stdout.count("warning  $ (line 1)")) == (0, 1)
    assert check(table, "--strict").returncode == 1


def test_check_for_machines(tmp_path: Path, table: Path) -> None:
    result = check(table, tmp_path / "none", "--json", RANK_SIZE="1")
    good, missing = json.loads(result.stdout)["files"]
    assert result.returncode == 2
    assert good["file"] == str(table)
    assert [problem["path"] for problem in good["problems"]] == ["RANK_SIZE"]
    assert good["problems"][0].keys() == {"path", "value", "rule", "severity", "advice"}
    assert "does not exist" in missing["failure"]


def test_convert_writes_a_clean_table_and_says_what_is_lost(tmp_path: Path, table: Path) -> None:
    text = table.read_text(encoding="utf-8").replace(
        '"server_id": "node_0",',
        '"server_id": "node_0", "host_ip": "10.0.0.1", "container_ip": "",',
    )
    table.write_text(f"# of the lab\n{text}", encoding="utf-8")
    result = ascendify("ranktable", "convert", table, "--template", "2")
    assert json.loads(result.stdout)["group_list"][0]["device_count"] == "16"
    assert "warning: template 2 has no place for host_ip of 8 ranks" in result.stderr
    assert "warning: left out: container_ip" in result.stderr
    assert "(line 1): JSON has no comment" in result.stderr
    clean = ascendify("ranktable", "convert", table, "-o", table)
    assert (clean.returncode, clean.stdout) == (0, "")
    assert check(table, "--strict").returncode == 0


def test_convert_refuses_what_is_no_table(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("[]", encoding="utf-8")
    result = ascendify("ranktable", "convert", "x.json", cwd=tmp_path)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith("error: x.json: $: a rank table is an object")


def test_show_draws_servers_and_devices(table: Path) -> None:
    result = ascendify("ranktable", "show", table)
    assert result.stdout.splitlines() == [
        f"{table}: template 1.0, completed, 16 ranks on 2 servers",
        "╭────────┬───────┬───────────────────────────╮",
        "│ server │ ranks │  0  1  2  3 │  4  5  6  7 │",
        "├────────┼───────┼───────────────────────────┤",
        "│ node_0 │ 0-7   │  0  1  2  3 │  4  5  6  7 │",
        "│ node_1 │ 8-15  │  8  9 10 11 │ 12 13 14 15 │",
        "╰────────┴───────┴───────────────────────────╯",
    ]


def piped(text: str, tmp_path: Path, *args: str, **environment: str) -> list[str]:
    file = tmp_path / "shown.json"
    file.write_text(text, encoding="utf-8")
    result = ascendify("ranktable", "show", file, *args, variables=environment)
    assert (result.returncode, result.stderr) == (0, "")
    return result.stdout.splitlines()


def test_show_is_readable_for_one_device_and_for_64_servers(tmp_path: Path) -> None:
    assert "│ node_0 │ 0     │ 0 · · · │ · · · · │" in piped(create("-n", "1"), tmp_path)
    many = piped(create("-s", "64"), tmp_path)
    assert len(many) < 20
    assert any("… 52 more" in line for line in many)
    assert sum("node_" in line for line in piped(create("-s", "64"), tmp_path, "--all")) == 64


def test_show_fits_a_narrow_terminal(tmp_path: Path) -> None:
    lines = piped(create("-s", "4", "-n", "64", "-t", "2.0"), tmp_path, COLUMNS="60")
    assert max(map(len, lines[1:])) <= 60
    assert any("■■■■ ■■■■" in line for line in lines)


def test_show_in_plain_letters_where_the_terminal_has_no_others(tmp_path: Path) -> None:
    lines = piped(create("-n", "1"), tmp_path, PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert "| node_0 | 0     | 0 . . . | . . . . |" in lines


def test_show_lists_ranks_and_points_at_problems(table: Path) -> None:
    text = table.read_text(encoding="utf-8")
    table.write_text(text.replace('"completed"', '"initializing"'), encoding="utf-8")
    lines = ascendify("ranktable", "show", table, "--ranks").stdout.splitlines()
    assert any(line.split() == ["9", "node_1", "1", "192.168.0.10", "-"] for line in lines)
    assert lines[-1] == "1 error: ascendify ranktable check shows more"


def test_a_name_with_markup_or_control_characters_is_only_a_name(tmp_path: Path) -> None:
    text = create("-n", "1").replace("node_0", "[red]n[/red]")
    assert any("[red]n[/red]" in line for line in piped(text, tmp_path))


def test_standard_input_is_a_file_too(tmp_path: Path) -> None:
    with (tmp_path / "table.json").open("w+b") as stream:
        stream.write(create("-n", "2").encode())
        stream.seek(0)
        result = ascendify("ranktable", "check", "-", stdin=stream)
    assert result.stdout.startswith("standard input: template 1.0, completed, 2 ranks on 1 server")


def test_without_a_subcommand_it_says_what_there_is() -> None:
    result = ascendify("ranktable")
    assert (result.returncode, result.stderr.splitlines()) == (
        2,
        ["error: Missing command.", "hint: ascendify ranktable --help lists what it takes"],
    )
