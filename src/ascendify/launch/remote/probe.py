"""Check whether a rank could start here: one line of JSON in, one line of JSON out.

The input names the project, the folder of the logs, the program and its script, other files that
must be there, and a port that must be free. The output lists what is wrong, each with what to do.
"""

import json
import os
import shutil
import socket
import sys

WORD = "ascendify-probe "
"""Prefix of the answer; log-in scripts may print other lines."""
OLDEST = (3, 6)


def problems(wanted):
    """Return the problems, each with what to do."""
    if sys.version_info < OLDEST:
        version = ".".join(map(str, sys.version_info[:2]))
        yield "its python3 is {}".format(version), "name one of 3.6 or newer with -O python=PATH"
    project = wanted["project"]
    if not os.path.isdir(project):
        advice = "copy the project there, at the same path, or share the folder"
        yield "the folder {} is missing".format(project), advice
    else:
        program, script = wanted["program"], wanted["script"]
        if program and not exists(program, project):
            advice = "name the interpreter by its path, which must be the same everywhere"
            yield "command not found: {}".format(program), advice
        if script and not os.path.exists(os.path.join(project, script)):
            yield "{} is missing in {}".format(script, project), "copy the project there again"
    place = wanted["folder"]
    while not os.path.exists(place):
        place = os.path.dirname(place)
    if not (os.path.isdir(place) and os.access(place, os.W_OK | os.X_OK)):
        advice = "name a folder with --log-dir that can be made there"
        yield "{} cannot be written to".format(place), advice
    for path, advice in wanted["files"].items():
        if not os.path.exists(path):
            yield "{} is missing".format(path), advice
    if wanted["port"]:
        reason = why_unusable(wanted["port"])
        if reason:
            advice = "end what uses it, or choose another with --port"
            yield "port {} cannot be used: {}".format(wanted["port"], reason), advice


def exists(program, folder):
    """Whether a program exists."""
    if os.sep in program:
        return os.access(os.path.join(folder, program), os.X_OK)
    return shutil.which(program) is not None


def why_unusable(port):
    """Return why no program can listen at a port; empty if one can."""
    with socket.socket() as held:
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            held.bind(("", port))
        except OSError as error:
            return error.strerror
    return ""


if __name__ == "__main__":
    print(WORD + json.dumps(list(problems(json.loads(sys.stdin.buffer.readline().decode())))))
