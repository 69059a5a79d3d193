"""Processes start together, are watched together, and end together."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ascendify.processes import Process, Tail, last_lines, run_all
from ascendify.processes.guard import MARK, members, stop
from support.processes import is_alive, processes_in, python_process, wait_until

FAMILY = """
import os, pathlib, subprocess, sys, time
own_session = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"],
                               start_new_session=True)
child = subprocess.Popen(["sh", "-c", "sleep 600 & echo $! > inner-$NUMBER; wait"])
inner = pathlib.Path("inner-" + os.environ["NUMBER"])
while not inner.exists() or not inner.read_text():
    time.sleep(0.01)
written = pathlib.Path("new-" + os.environ["NUMBER"])
written.write_text("%d %d %d" % (os.getpid(), own_session.pid, child.pid))
written.rename("family-" + os.environ["NUMBER"])
"""
"""Starts a child, a grandchild, and a child in a session of its own; tells who they are."""
STUBBORN = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
ENDLESS = "time.sleep(600)\n"


def families(folder: Path) -> list[int]:
    return processes_in(*folder.glob("family-*"), *folder.glob("inner-*"))


def test_all_end_well(tmp_path: Path) -> None:
    source = "import os, sys; print('out', os.environ['NUMBER']); print('err', file=sys.stderr)"
    processes = [python_process(tmp_path, number, source) for number in range(3)]
    outcome = run_all(processes)
    assert outcome.succeeded
    assert not outcome.failed
    assert [ending.exit_code for ending in outcome.endings] == [0, 0, 0]
    assert [ending.log.read_text() for ending in outcome.endings] == [
        f"out {number}\nerr\n" for number in range(3)
    ]
    assert all(0 < ending.seconds <= outcome.seconds for ending in outcome.endings)


def test_the_first_to_fail_is_named_and_the_others_are_gone_with_their_children(
    tmp_path: Path,
) -> None:
    fail = "import sys\nwhile len(list(pathlib.Path().glob('family-*'))) < 3: time.sleep(0.01)\n"
    processes = [
        python_process(
            tmp_path, number, FAMILY + (fail + "sys.exit(3)" if number == 1 else ENDLESS)
        )
        for number in range(3)
    ]
    outcome = run_all(processes)
    assert outcome.failed[0] == 1
    assert outcome.failed == (1,)
    assert [ending.how for ending in outcome.endings] == [
        "signal SIGTERM",
        "exit code 3",
        "signal SIGTERM",
    ]
    assert [ending.stopped for ending in outcome.endings] == [True, False, True]
    everybody = families(tmp_path)
    assert len(everybody) == 12
    assert [process for process in everybody if is_alive(process)] == []


def test_processes_that_ignore_requests_are_killed(tmp_path: Path) -> None:
    processes = [
        python_process(tmp_path, 0, STUBBORN + FAMILY + ENDLESS),
        python_process(
            tmp_path,
            1,
            "import pathlib, time\n"
            "while not pathlib.Path('family-0').exists(): time.sleep(0.01)\n"
            "raise SystemExit(5)",
        ),
    ]
    outcome = run_all(processes, grace=0.3)
    assert outcome.endings[0].how == "signal SIGKILL"
    assert outcome.failed[0] == 1
    assert [process for process in families(tmp_path) if is_alive(process)] == []


def test_a_signal_is_a_failure(tmp_path: Path) -> None:
    source = "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)"
    outcome = run_all([python_process(tmp_path, 0, source)])
    (ending,) = outcome.endings
    assert (ending.exit_code, ending.signal, ending.how) == (None, signal.SIGSEGV, "signal SIGSEGV")
    assert outcome.failed == (0,)


def test_time_out(tmp_path: Path) -> None:
    source = "import time; print('begun')\n" + ENDLESS
    outcome = run_all([python_process(tmp_path, 0, source)], timeout=0.5)
    assert outcome.timed_out
    assert not outcome.succeeded
    assert outcome.failed == ()
    assert outcome.endings[0].stopped


def test_processes_left_behind_are_stopped_and_counted(tmp_path: Path) -> None:
    outcome = run_all([python_process(tmp_path, 0, FAMILY)], settle=0.1)
    assert outcome.succeeded
    assert outcome.left_behind == 3
    assert [process for process in families(tmp_path) if is_alive(process)] == []


def test_a_command_that_cannot_start_stops_those_that_have(tmp_path: Path) -> None:
    missing = Process(("/does/not/exist",), dict(os.environ), tmp_path, tmp_path / "1.log")
    with pytest.raises(FileNotFoundError):
        run_all([python_process(tmp_path, 0, FAMILY + ENDLESS), missing])
    assert not list(tmp_path.glob("family-*")) or not any(map(is_alive, families(tmp_path)))


def test_logs_begin_anew(tmp_path: Path) -> None:
    process = python_process(tmp_path, 0, "print('new')")
    process.log.write_text("of an earlier run\n")
    run_all([process])
    assert process.log.read_text() == "new\n"


RUNNER = f"""
import sys
from pathlib import Path
sys.path.insert(0, {str(Path(__file__).parents[1])!r})
from support.processes import python_process
from ascendify.processes import run_all
source = Path("family.py").read_text()
run_all([python_process(Path.cwd(), number, source) for number in range(2)], grace=1.0)
"""


@pytest.mark.parametrize(
    ("number", "code"),
    [
        pytest.param(signal.SIGINT, -signal.SIGINT, id="ctrl-c"),
        pytest.param(signal.SIGTERM, 128 + signal.SIGTERM, id="terminate"),
        pytest.param(signal.SIGHUP, 128 + signal.SIGHUP, id="hang-up"),
        pytest.param(signal.SIGKILL, -signal.SIGKILL, id="kill"),
    ],
)
def test_nothing_is_left_when_the_run_itself_is_ended(
    tmp_path: Path, number: signal.Signals, code: int
) -> None:
    (tmp_path / "family.py").write_text(FAMILY + ENDLESS)
    runner = subprocess.Popen(
        [sys.executable, "-c", RUNNER], cwd=tmp_path, stderr=subprocess.DEVNULL
    )
    assert wait_until(lambda: len(list(tmp_path.glob("family-*"))) == 2)
    everybody = families(tmp_path)
    assert len(everybody) == 8
    runner.send_signal(number)
    # A KeyboardInterrupt that nobody catches ends Python by the signal, as shells expect.
    assert runner.wait(timeout=300) == code
    assert wait_until(lambda: not any(map(is_alive, everybody)))


def test_a_run_within_a_run_ends_with_the_outer_one(tmp_path: Path) -> None:
    (tmp_path / "family.py").write_text(FAMILY + ENDLESS)
    outer = [
        python_process(tmp_path, 7, RUNNER),
        python_process(
            tmp_path,
            8,
            "import pathlib, time\n"
            "while len(list(pathlib.Path().glob('family-*'))) < 2: time.sleep(0.01)\n"
            "raise SystemExit(1)",
        ),
    ]
    assert run_all(outer).failed[0] == 1
    assert wait_until(lambda: not any(map(is_alive, families(tmp_path))))


def test_finding_members_without_proc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parent = subprocess.Popen(
        ["sh", "-c", "sleep 600 & echo $! > inner; wait"], cwd=tmp_path, start_new_session=True
    )
    assert wait_until(
        lambda: bool((tmp_path / "inner").exists() and (tmp_path / "inner").read_text())
    )
    monkeypatch.setattr("ascendify.processes.guard._PROC", tmp_path)
    inner = int((tmp_path / "inner").read_text())
    assert set(members("none", {parent.pid})) == {parent.pid, inner}
    stop("none", {parent.pid}, grace=1.0)
    parent.wait(timeout=300)
    assert not is_alive(inner)


def test_a_mark_is_compared_whole(tmp_path: Path) -> None:
    process = subprocess.Popen(["sleep", "600"], env={**os.environ, MARK: "outer,abc123"})
    try:
        assert wait_until(lambda: members("abc123", ()) == [process.pid])
        assert members("outer", ()) == [process.pid]
        assert members("abc", ()) == []
    finally:
        process.kill()
        process.wait()


def test_one_log_is_passed_on_byte_for_byte(tmp_path: Path) -> None:
    stream = io.BytesIO()
    log = tmp_path / "log"
    tail = Tail([log], stream)
    tail.advance()
    log.write_bytes(b"10%\r20%\r")
    tail.advance()
    assert stream.getvalue() == b"10%\r20%\r"
    with log.open("ab") as file:
        file.write(b"caf\xe9 \xe4\xb8\xad\nno end")
    tail.close()
    assert stream.getvalue() == b"10%\r20%\rcaf\xe9 \xe4\xb8\xad\nno end"


def test_several_logs_are_passed_on_line_by_line(tmp_path: Path) -> None:
    stream = io.BytesIO()
    logs = [tmp_path / "0", tmp_path / "1"]
    tail = Tail(logs, stream, ["[0] ", "[1] "])
    logs[0].write_bytes(b"half")
    logs[1].write_bytes(b"one\ntwo")
    tail.advance()
    assert stream.getvalue() == b"[1] one\n"
    with logs[0].open("ab") as file:
        file.write(b" whole\n")
    tail.close()
    assert stream.getvalue() == b"[1] one\n[0] half whole\n[1] two\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("", [""], id="empty"),
        pytest.param("a\nb\n\n", ["a", "b"], id="short"),
        pytest.param("".join(f"{n}\n" for n in range(99)), [*map(str, range(79, 99))], id="long"),
        pytest.param(
            "before\nTraceback (most recent call last):\n  File\nValueError: x\n",
            ["Traceback (most recent call last):", "  File", "ValueError: x"],
            id="traceback",
        ),
        pytest.param(
            "[rank1]: Traceback (most recent call last):\n[rank1]:   File\n[rank1]: OSError: x\n",
            ["Traceback (most recent call last):", "  File", "OSError: x"],
            id="traceback-of-a-rank",
        ),
        pytest.param("caf\xe9\r\nb\r\n", ["caf\ufffd", "b"], id="other-encoding"),
    ],
)
def test_last_lines(tmp_path: Path, text: str, expected: list[str]) -> None:
    log = tmp_path / "log"
    log.write_bytes(text.encode("latin-1"))
    assert last_lines(log) == expected
