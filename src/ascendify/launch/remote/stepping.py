"""Run srun, and end its tasks kindly when standard input ends: srun itself only kills them.

    python3 stepping.py NAME srun ...

NAME is that of the step. Signals that schedulers send in advance are passed on.
"""

import os
import signal
import subprocess
import sys
import threading

PASSED_ON = (signal.SIGUSR1, signal.SIGUSR2)


def step(name):
    """The number of the step with this name, such as ``17.2``; empty when there is none."""
    job = os.environ.get("SLURM_JOB_ID", "")
    asked = subprocess.run(
        ("squeue", "--noheader", "--steps", "--jobs=" + job, "--format=%i %j"),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    for line in asked.stdout.decode("utf-8", "replace").splitlines():
        number, _, found = line.strip().partition(" ")
        if found == name:
            return number
    return ""


def end_with_input(name, started):
    """Ask the tasks to end once nobody is there any more."""
    while sys.stdin.buffer.read(1 << 16):
        pass
    number = step(name)
    if number:
        told = ("scancel", "--signal=TERM", number)
        subprocess.run(told, stderr=subprocess.DEVNULL, check=False)
    else:
        started.terminate()


def main(name, command):
    """Return srun's exit code."""
    try:
        started = subprocess.Popen(command, stdin=subprocess.DEVNULL)
    except OSError as error:
        print("error: cannot start {}: {}".format(command[0], error), flush=True)
        return 127
    for number in PASSED_ON:
        signal.signal(number, lambda which, _frame: started.send_signal(which))
    threading.Thread(target=end_with_input, args=(name, started), daemon=True).start()
    code = started.wait()
    return 128 - code if code < 0 else code


if __name__ == "__main__":
    result = main(sys.argv[1], sys.argv[2:])
    # at once: a thread still reads
    sys.stdout.flush()
    os._exit(result)
