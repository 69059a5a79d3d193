"""Run one rank for whoever is at the other end of standard input; stop it when that end goes.

Standard input begins with one line of JSON: the command, its folder, its environment, the files it
needs, and the seconds it is given to end. What it prints goes to standard output at once, its exit
code becomes this program's.

The program that sends this one puts the text of ``guard.py`` in front of it, which has ``stop``.
"""

import json
import os
import secrets
import subprocess
import sys
import threading

MARK = "ASCENDIFY_PROCESSES"


def write_files(folder, files):
    """Put files where the rank looks for them, whole or not at all."""
    os.makedirs(folder, exist_ok=True)
    for name, text in files.items():
        path = os.path.join(folder, name)
        part = "{}.{}".format(path, os.getpid())
        with open(part, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(part, path)


def start(order, mark):
    """Start the rank in a session of its own, so that all of its family is found again."""
    variables = {key: value for key, value in os.environ.items() if key not in order["unset"]}
    variables.update(order["environment"])
    outer = variables.get(MARK)
    variables[MARK] = "{},{}".format(outer, mark) if outer else mark
    return subprocess.Popen(
        order["command"],
        cwd=order["project"],
        env=variables,
        stdin=subprocess.DEVNULL,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )


def end_with_input(end):
    """Call a function once nobody is there any more."""
    while sys.stdin.buffer.read(1 << 16):
        pass
    end()


def run(order):
    """Run the rank to its end and return its exit code."""
    mark = secrets.token_hex(8)
    write_files(order["folder"], order["files"])
    try:
        started = start(order, mark)
    except OSError as error:
        print("error: cannot start {}: {}".format(order["command"][0], error), flush=True)
        return 127

    def end():
        stop(mark, {started.pid}, order["grace"])  # noqa: F821 (of guard.py, which is in front)

    threading.Thread(target=end_with_input, args=(end,), daemon=True).start()
    code = started.wait()
    end()
    return 128 - code if code < 0 else code


if __name__ == "__main__":
    sys.exit(run(json.loads(sys.stdin.buffer.readline().decode())))
