"""``ascendify run`` as a user's shell runs it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ascendify.emulation.paths import PACKAGES, STARTUP
from support.commands import ascendify
from support.launches import in_time
from support.processes import is_alive, processes_in, wait_until

DUMP = """\
import json, os, pathlib, sys
name = "rank-%s.json" % os.environ["RANK_ID"]
facts = {"environment": dict(os.environ), "arguments": sys.argv[1:], "path": sys.path}
pathlib.Path(name).write_text(json.dumps(facts))
print("rank", os.environ["RANK_ID"], "of", os.environ["RANK_SIZE"])
"""


def ascendify_run(
    *arguments: str | Path, cwd: Path, **environment: str
) -> subprocess.CompletedProcess[str]:
    return ascendify("run", *arguments, cwd=cwd, variables=environment)


def write(folder: Path, source: str, name: str = "train.py") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(source, encoding="utf-8")
    return folder


def test_every_rank_has_its_environment_and_its_log(tmp_path: Path) -> None:
    project = write(tmp_path / "my project", DUMP)
    logs = tmp_path / "my logs"
    options = ("--devices", "2", "--log-dir", logs, "--project", project)
    command = (sys.executable, "train.py", "--devices", "9", "-v", "a b")
    ran = ascendify_run(*options, "--", *command, cwd=tmp_path, PYTHONPATH="/mine")
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout == "rank 0 of 2\n"
    assert ran.stderr.startswith("2 ranks finished in ")
    assert str(logs) in ran.stderr
    assert (logs / "rank-1.log").read_text() == "rank 1 of 2\n"
    for rank in range(2):
        facts = json.loads((project / f"rank-{rank}.json").read_text())
        assert facts["arguments"] == ["--devices", "9", "-v", "a b"]
        assert facts["environment"]["RANK_ID"] == str(rank)
        assert facts["environment"]["ASCENDIFY_ROOT"] == str(project)
        assert facts["environment"]["RANK_TABLE_FILE"] == str(logs / "rank_table.json")
        search = facts["environment"]["PYTHONPATH"].split(os.pathsep)
        assert search == [str(STARTUP), str(PACKAGES), "/mine"]


def test_the_dashes_may_be_left_out(tmp_path: Path) -> None:
    write(tmp_path, DUMP)
    ran = ascendify_run("-n", "1", sys.executable, "train.py", "-n", "5", cwd=tmp_path)
    assert ran.stdout == "rank 0 of 1\n"
    assert ran.stderr.startswith("1 rank finished in ")


def test_a_shell_script_starts_the_python(tmp_path: Path) -> None:
    write(tmp_path, DUMP)
    write(tmp_path, f"#!/bin/sh\nexec {sys.executable} -m train\n", "train.sh")
    (tmp_path / "train.sh").chmod(0o755)
    ran = ascendify_run("--", "./train.sh", cwd=tmp_path)
    assert (ran.returncode, ran.stdout) == (0, "rank 0 of 1\n"), ran.stderr


def test_all_ranks_are_shown_on_request(tmp_path: Path) -> None:
    write(tmp_path, DUMP)
    ran = ascendify_run("-n", "2", "-a", "--", sys.executable, "train.py", cwd=tmp_path)
    assert sorted(ran.stdout.splitlines()) == ["[0] rank 0 of 2", "[1] rank 1 of 2"]


def test_the_failure_of_another_rank_is_shown(tmp_path: Path) -> None:
    source = (
        "import os, subprocess, time, pathlib, sys\n"
        "child = subprocess.Popen(['sleep', '600'], start_new_session=True)\n"
        "written = pathlib.Path('new-' + os.environ['RANK_ID'])\n"
        "written.write_text(str(child.pid))\n"
        "written.rename('ids-' + os.environ['RANK_ID'])\n"
        "if os.environ['RANK_ID'] == '1':\n"
        "    while len(list(pathlib.Path().glob('ids-*'))) < 4: time.sleep(0.01)\n"
        "    def lost(): raise ValueError('boundless')\n"
        "    try: lost()\n"
        "    finally: sys.stdout.write('unended')\n"
        "time.sleep(600)\n"
    )
    write(tmp_path, source)
    ran = ascendify_run("-n", "4", "--", sys.executable, "train.py", cwd=tmp_path)
    assert ran.returncode == 3
    assert "  | ValueError: boundless" in ran.stderr
    assert "error: rank 1 failed first, after " in ran.stderr
    assert "exit code 1; the others were stopped" in ran.stderr
    assert not any(map(is_alive, processes_in(*tmp_path.glob("ids-*"))))


def test_a_failure_already_on_the_screen_is_not_repeated(tmp_path: Path) -> None:
    write(tmp_path, "raise ValueError('once')")
    ran = ascendify_run("--", sys.executable, "train.py", cwd=tmp_path)
    assert (ran.stdout + ran.stderr).count("ValueError: once") == 1
    quiet = ascendify_run("-q", "--", sys.executable, "train.py", cwd=tmp_path)
    assert quiet.stdout == ""
    assert "  | ValueError: once" in quiet.stderr


def test_a_rank_that_lost_its_peer_is_not_blamed(tmp_path: Path) -> None:
    source = (
        "import os, time\n"
        "class CollectiveError(RuntimeError): pass\n"
        "if os.environ['RANK_ID'] == '0': raise CollectiveError('rank 1 has gone')\n"
        "try: raise ValueError('the cause')\n"
        "finally: import traceback; traceback.print_exc(); time.sleep(600)\n"
    )
    write(tmp_path, source)
    ran = ascendify_run("-n", "2", "--", sys.executable, "train.py", cwd=tmp_path)
    assert "error: rank 1 failed first" in ran.stderr
    assert "  | ValueError: the cause" in ran.stderr


def test_time_out_tells_what_everybody_said_last(tmp_path: Path) -> None:
    source = (
        "import os, time\n"
        "if os.environ['RANK_ID'] == '0': raise SystemExit(0)\n"
        "print('waiting for rank 0'); open('began-1', 'w').close(); time.sleep(600)\n"
    )
    write(tmp_path, source)
    command = (sys.executable, "train.py")
    ran = in_time(
        tmp_path,
        1,
        lambda most: ascendify_run("-n", "2", "--timeout", most, *command, cwd=tmp_path),
    )
    assert ran.returncode == 4
    assert "  | rank 1: waiting for rank 0" in ran.stderr
    assert "error: 1 of 2 ranks had not ended when the time was up" in ran.stderr


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["ctrl-c", "terminate"]
)
def test_interruption_leaves_nothing(tmp_path: Path, number: int, code: int) -> None:
    source = (
        "import os, pathlib, time\n"
        "pathlib.Path('id-' + os.environ['RANK_ID']).write_text(str(os.getpid()))\n"
        "time.sleep(600)\n"
    )
    write(tmp_path, source)
    command = (sys.executable, "-m", "ascendify", "run", "-n", "2", sys.executable, "train.py")
    runner = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    ids = [tmp_path / "id-0", tmp_path / "id-1"]
    assert wait_until(lambda: all(each.exists() and each.read_text() for each in ids))
    runner.send_signal(number)
    _, errors = runner.communicate(timeout=300)
    assert runner.returncode == code
    assert "Traceback" not in errors
    assert not any(map(is_alive, processes_in(*ids)))


def test_bytes_of_any_encoding_pass(tmp_path: Path) -> None:
    write(tmp_path, "import sys; sys.stdout.buffer.write(b'caf\\xe9\\n'); print('\\u4e2d\\u6587')")
    ran = ascendify_run(
        "--", sys.executable, "train.py", cwd=tmp_path, PYTHONIOENCODING="utf-8", LC_ALL="C"
    )
    assert ran.returncode == 0
    assert ran.stdout.encode("utf-8", "surrogateescape") == b"caf\xe9\n" + "中文\n".encode()


def test_the_users_own_start_up_module_still_runs(tmp_path: Path) -> None:
    write(tmp_path, "import os\nprint(os.environ['FROM_SITE'])")
    write(tmp_path / "site", "import os\nos.environ['FROM_SITE'] = 'yes'", "sitecustomize.py")
    ran = ascendify_run(
        "--", sys.executable, "train.py", cwd=tmp_path, PYTHONPATH=str(tmp_path / "site")
    )
    assert ran.stdout == "yes\n", ran.stderr


def test_scripts_that_leave_processes_behind_are_reported(tmp_path: Path) -> None:
    ran = ascendify_run("--", "sh", "-c", "sleep 600 & sleep 600 & exit 0", cwd=tmp_path)
    assert ran.returncode == 0
    assert "warning: 2 processes were still running" in ran.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param((), "error: no command to run", id="nothing"),
        pytest.param(("--",), "error: no command to run", id="only-dashes"),
        pytest.param(("--", "pyhton", "a.py"), "error: command not found: pyhton", id="program"),
        pytest.param(("--", sys.executable, "a.py"), "error: a.py does not exist", id="script"),
        pytest.param(("-n", "0", "true"), "error: --devices 0", id="no-devices"),
        pytest.param(("-n", "two", "true"), "error: ", id="no-number"),
        pytest.param(("--timeout", "0", "true"), "error: --timeout 0", id="no-time"),
        pytest.param(("--project", "x", "true"), "error: --project x is not", id="project"),
        pytest.param(("--log-dir", "file", "true"), "error: --log-dir file is not", id="logs"),
        pytest.param(("--output-format", "json", "true"), "only with --strict", id="report"),
        pytest.param((sys.executable, "-I", "-c", "0"), "ignores PYTHONPATH", id="isolated"),
    ],
)
def test_wrong_command_lines(tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    write(tmp_path, "", "file")
    ran = ascendify_run(*arguments, cwd=tmp_path)
    assert ran.returncode == 2
    assert message in ran.stderr
    assert len(ran.stderr.splitlines()) == 2


def test_an_interpreter_that_is_too_old(tmp_path: Path) -> None:
    (tmp_path / "python2").write_text("#!/bin/sh\necho 2 7\n")
    (tmp_path / "python2").chmod(0o755)
    write(tmp_path, "")
    ran = ascendify_run("--", "./python2", "train.py", cwd=tmp_path)
    assert ran.returncode == 2
    assert "./python2 is Python 2.7; the emulation needs 3.6 or newer" in ran.stderr


def test_numbers_of_devices_no_server_has(tmp_path: Path) -> None:
    ran = ascendify_run("-n", "3", "--", "true", cwd=tmp_path)
    assert ran.returncode == 0
    assert "warning: a job on Atlas training servers has 1, 2, 4 or 8 devices" in ran.stderr


def test_an_interpreter_without_tensorflow(tmp_path: Path) -> None:
    write(tmp_path, "raise ModuleNotFoundError(\"No module named 'tensorflow'\")")
    ran = ascendify_run("--", sys.executable, "train.py", cwd=tmp_path)
    assert ran.returncode == 3
    assert "hint: the interpreter has no TensorFlow" in ran.stderr


OBSERVED = """\
import json, os, sys
finding = {
    "code": "EMU-SHAPE-1", "status": "manual", "path": os.path.abspath("train.py"), "line": 3,
    "found": "an open shape", "todo": "close it", "rank": int(os.environ["RANK_ID"]),
}
if os.environ.get("ASCENDIFY_STRICT") == "1":
    with open(os.environ["ASCENDIFY_FINDINGS"], "a") as file:
        file.write(json.dumps(finding) + "\\n")
print("printed")
sys.exit(int(sys.argv[1]))
"""


@pytest.mark.parametrize(
    ("options", "own_code", "code"),
    [
        pytest.param((), "0", 0, id="not-requested"),
        pytest.param(("--strict",), "0", 1, id="found"),
        pytest.param(("--strict",), "5", 3, id="found-and-failed"),
    ],
)
def test_findings_and_exit_codes(
    tmp_path: Path, options: tuple[str, ...], own_code: str, code: int
) -> None:
    write(tmp_path, OBSERVED)
    ran = ascendify_run("-n", "2", *options, sys.executable, "train.py", own_code, cwd=tmp_path)
    assert ran.returncode == code, ran.stderr
    assert ran.stdout.startswith("printed\n")
    assert ("an open shape" in ran.stdout) is bool(options)
    assert ("train.py:3" in ran.stdout) is bool(options)


def test_a_clean_strict_run(tmp_path: Path) -> None:
    write(tmp_path, "print('printed')")
    ran = ascendify_run("--strict", sys.executable, "train.py", cwd=tmp_path)
    assert ran.returncode == 0, ran.stdout


def test_findings_that_were_removed_are_no_clean_run(tmp_path: Path) -> None:
    write(tmp_path, "import shutil\nshutil.rmtree('logs')\n")
    options = ("--strict", "--log-dir", "logs")
    ran = ascendify_run(*options, sys.executable, "train.py", cwd=tmp_path)
    assert ran.returncode == 2
    assert "with the findings of this run, was removed while it ran" in ran.stderr


def test_a_report_for_machines_is_alone_on_standard_output(tmp_path: Path) -> None:
    write(tmp_path, OBSERVED)
    command = ("--strict", "--output-format", "json", "-r", "reports", sys.executable, "train.py")
    ran = ascendify_run(*command, "0", cwd=tmp_path)
    report = json.loads(ran.stdout)
    assert (report["command"], len(report["findings"])) == ("run", 1)
    assert "printed\n" in ran.stderr
    assert (tmp_path / "reports" / "report.sarif").is_file()


def test_a_reader_that_goes_away_ends_the_run(tmp_path: Path) -> None:
    source = (
        "import os, pathlib, time\n"
        "pathlib.Path('id').write_text(str(os.getpid()))\n"
        "while True: print('x' * 1000); time.sleep(0.01)\n"
    )
    write(tmp_path, source)
    runner = f"'{sys.executable}' -m ascendify run '{sys.executable}' train.py"
    subprocess.run(
        f"{runner} 2>/dev/null | head -n 1",
        shell=True,
        cwd=tmp_path,
        timeout=300,
        check=True,
        stdout=subprocess.DEVNULL,
    )
    assert not any(map(is_alive, processes_in(tmp_path / "id")))
