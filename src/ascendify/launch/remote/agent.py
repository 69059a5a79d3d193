"""Run one rank; stop it, with every process it started, when it exits or its launcher is gone.

    agent.py                         # reads its rank from standard input, stops it when that closes
    agent.py PLAN VARIABLE GRACE     # a plan, the variable with the rank's number, seconds to end

Standard input begins with one line of JSON: a plan of this rank alone, the seconds it is given to
end, the seconds of silence after which the launcher counts as gone, and whether the ranks of a
server divide its cores; with a plan, a fourth argument says so. Lines that follow are empty, or
``signal NUMBER`` for the rank. What the rank prints goes to standard output.

With a plan the output goes to the rank's log, and how the rank exited to a file next to it, so that
the program that started many agents knows which rank failed first.

The texts of ``guard.py`` and ``rank_of_plan.py`` are in front of this one when it runs.
"""

import contextlib
import json
import os
import secrets
import select
import signal
import subprocess
import sys
import threading
import time

# ruff: noqa: F821 (what the files in front have, such as stop and environment)
SETTLE_SECONDS = 0.5
"""Seconds after a failure in which other ranks may still print their own errors."""
PAUSE_SECONDS = 0.2
STOPPING = b"stopping"
"""Message to the guard: the processes have received SIGTERM."""
CANNOT_START = 127


class Family:
    """The process of a rank, and every process that it starts."""

    def __init__(self, plan, rank, grace):
        self._mark = secrets.token_hex(8)
        self._grace = grace
        self._guard = start_guard(self._mark, grace)
        variables = environment(plan, rank, os.environ)
        outer = variables.get(MARK)
        variables[MARK] = "{},{}".format(outer, self._mark) if outer else self._mark
        self._first = subprocess.Popen(
            plan["command"],
            cwd=plan["project"],
            env=variables,
            stdin=subprocess.DEVNULL,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        self._write_to_guard(str(self._first.pid).encode())

    def _write_to_guard(self, entry):
        # if the guard was killed, the rank goes on
        with contextlib.suppress(OSError):
            os.write(self._guard, entry + b"\n")

    def wait(self):
        """Wait for the rank, stop processes it has left behind, and return its exit code."""
        code = self._first.wait()
        self.end()
        return code

    def end(self):
        """Stop all processes that are left."""
        self._write_to_guard(STOPPING)
        stop(self._mark, {self._first.pid}, self._grace)

    def send(self, number):
        """Send the rank a signal."""
        if self._first.poll() is None:
            self._first.send_signal(number)


def start_guard(mark, grace):
    """Start a process that stops a family if this process is killed; return its input."""
    reading, writing = os.pipe()
    if os.fork():
        os.close(reading)
        return writing
    os.setsid()
    os.close(writing)
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    # Slurm may send a signal for the rank to every process
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2"):
        signal.signal(getattr(signal, name), signal.SIG_IGN)
    with os.fdopen(reading, "rb") as pipe:
        messages = pipe.read().split()
    sessions = {int(entry) for entry in messages if entry.isdigit()}
    until = time.monotonic() + grace
    if STOPPING in messages:
        # they have received SIGTERM, and their grace period is not over
        while members(mark, sessions) and time.monotonic() < until:
            time.sleep(PAUSE_SECONDS)
        grace = 0
    stop(mark, sessions, grace)
    os._exit(0)


def start(plan, rank, grace):
    """Start a rank with the files it needs; exit if that fails."""
    try:
        os.makedirs(plan["folder"], exist_ok=True)
        for name, text in plan["files"].items():
            write(os.path.join(plan["folder"], name), text)
        return Family(plan, rank, grace)
    except OSError as error:
        message = "error: rank {} cannot start {}: {}"
        print(message.format(rank["rank"], plan["command"][0], error), flush=True)
        return None


def share_cores(variables):
    """Bind this process, and the rank it will start, to the rank's own cores."""
    place, count = int(variables.get("LOCAL_RANK", 0)), int(variables.get("LOCAL_WORLD_SIZE", 1))
    if count < 2 or not hasattr(os, "sched_setaffinity"):
        return
    cores = sorted(os.sched_getaffinity(0))
    each = len(cores) // count
    if each:
        os.sched_setaffinity(0, cores[place * each : (place + 1) * each])


def listen(family, silence):
    """Pass on signals from standard input; stop the rank when it closes or is silent too long."""
    source = sys.stdin.buffer
    rest = b""
    while select.select([source], [], [], silence or None)[0]:
        chunk = source.read1(1 << 16)
        if not chunk:
            break
        lines = (rest + chunk).split(b"\n")
        rest = lines.pop()
        for line in lines:
            if line.startswith(b"signal "):
                family.send(int(line.split()[1]))
    family.end()


def over_input():
    """Run the rank that standard input describes; return its exit code as a shell would."""
    plan = json.loads(sys.stdin.buffer.readline().decode())
    rank = plan["ranks"][0]
    if plan["bind"]:
        share_cores(rank["environment"])
    family = start(plan, rank, plan["grace"])
    if family is None:
        return CANNOT_START
    threading.Thread(target=listen, args=(family, plan["silence"]), daemon=True).start()
    return as_shell(family.wait())


def stop_with_parent(family, parent):
    """Stop the rank when the program that started this one has exited."""
    while os.getppid() == parent:
        time.sleep(PAUSE_SECONDS)
    family.end()


def from_plan(path, variable, grace, bind=""):
    """Run a rank of a plan, and write how it exited."""
    parent = os.getppid()
    with open(path, encoding="utf-8") as file:
        plan = json.load(file)
    rank = chosen(plan, variable)
    base = os.path.join(plan["folder"], "rank-{}".format(rank["rank"]))
    redirect(base + ".log")
    if bind:
        share_cores(rank["environment"])
    family = start(plan, rank, float(grace))
    code, stopped = supervise(family, parent) if family else (CANNOT_START, False)
    write(base + ".ended", json.dumps({"code": code, "ended": time.time(), "stopped": stopped}))
    if code and not stopped:
        time.sleep(SETTLE_SECONDS)
    return as_shell(code)


def supervise(family, parent):
    """Wait for a rank, passing signals on; return its exit code, and whether it was stopped."""
    received = []

    def end(number, _frame):
        received.append(number)
        threading.Thread(target=family.end, daemon=True).start()

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, end)
    for number in (signal.SIGUSR1, signal.SIGUSR2):
        signal.signal(number, lambda number, _frame: family.send(number))
    threading.Thread(target=stop_with_parent, args=(family, parent), daemon=True).start()
    code = family.wait()
    return code, bool(received) or os.getppid() != parent


def as_shell(code):
    """Return an exit code as a shell would: 128 plus the number of the signal."""
    return 128 - code if code < 0 else code


def main(arguments):
    """Run a rank until it has exited."""
    code = from_plan(*arguments) if arguments else over_input()
    sys.stdout.flush()
    # exit at once: a thread still reads
    os._exit(code)


if __name__ == "__main__":
    main(sys.argv[1:])
