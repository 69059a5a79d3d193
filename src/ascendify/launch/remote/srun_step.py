"""Run srun, and send its tasks SIGTERM when standard input is closed: srun itself only kills them.

    python3 srun_step.py NAME srun ...

NAME is the name of the step. Lines of standard input are empty, or ``signal NUMBER`` for the tasks.
"""

import os
import subprocess
import sys
import threading


def step(name):
    """Return the number of the step with this name, such as ``17.2``; empty when there is none."""
    job = os.environ.get("SLURM_JOB_ID", "")
    answer = subprocess.run(
        ("squeue", "--noheader", "--steps", "--jobs=" + job, "--format=%i %j"),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    for line in answer.stdout.decode("utf-8", "replace").splitlines():
        number, _, found = line.strip().partition(" ")
        if found == name:
            return number
    return ""


def listen(name, started):
    """Pass on signals, and send the tasks SIGTERM when standard input is closed."""
    for line in iter(sys.stdin.buffer.readline, b""):
        if line.startswith(b"signal "):
            started.send_signal(int(line.split()[1]))  # which srun passes on
    number = step(name)
    if number:
        cancel = ("scancel", "--signal=TERM", number)
        subprocess.run(cancel, stderr=subprocess.DEVNULL, check=False)
    else:
        started.terminate()


def main(name, command):
    """Run srun and return its exit code."""
    try:
        started = subprocess.Popen(command, stdin=subprocess.DEVNULL)
    except OSError as error:
        print("error: cannot start {}: {}".format(command[0], error), flush=True)
        return 127
    threading.Thread(target=listen, args=(name, started), daemon=True).start()
    code = started.wait()
    return 128 - code if code < 0 else code


if __name__ == "__main__":
    result = main(sys.argv[1], sys.argv[2:])
    # exit at once: a thread still reads
    sys.stdout.flush()
    os._exit(result)
