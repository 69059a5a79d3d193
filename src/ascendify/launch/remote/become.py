"""Become a rank: read the plan of a job, take over the rank's environment, run the command.

    python3 become.py PLAN.json NUMBER
    python3 become.py PLAN.json VARIABLE     # the environment variable that holds the number

With --log the output goes to the rank's log as well as the plan says; without, to where it is.
"""

import json
import os
import secrets
import sys

OK, WRONG = 0, 2


def environment(plan, rank, base):
    """What a rank finds: what its server has, less an earlier job's words, and the plan's own."""
    found = {key: value for key, value in base.items() if key not in plan["unset"]}
    found.update(rank["environment"])
    search = [found[name] for name in ("ASCENDIFY_SEARCH", "PYTHONPATH") if found.get(name)]
    if "ASCENDIFY_SEARCH" in found:
        found["PYTHONPATH"] = os.pathsep.join(search)
    found.setdefault("PYTHONUNBUFFERED", "1")
    return found


def chosen(plan, word):
    """The rank with a number, or with the number in an environment variable."""
    text = word if word.isdigit() else os.environ.get(word, "")
    if not text.isdigit():
        raise SystemExit("error: {} is no rank, and no variable that holds one".format(word))
    for rank in plan["ranks"]:
        if rank["rank"] == int(text):
            return rank
    raise SystemExit("error: the plan has no rank {}, only {}".format(text, len(plan["ranks"])))


def redirect(path):
    """Send both output streams to a file."""
    log = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    os.dup2(log, 1)
    os.dup2(log, 2)


def main(words):
    """Never returns: the process goes on as the rank."""
    log = "--log" in words
    words = [word for word in words if word != "--log"]
    if len(words) != 2:
        raise SystemExit(__doc__)
    with open(words[0], encoding="utf-8") as file:
        plan = json.load(file)
    rank = chosen(plan, words[1])
    if not os.path.isdir(plan["folder"]):
        os.makedirs(plan["folder"], exist_ok=True)
    for name, text in plan["files"].items():
        path = os.path.join(plan["folder"], name)
        if not os.path.exists(path):
            write(path, text)
    if log:
        redirect(os.path.join(plan["folder"], "rank-{}.log".format(rank["rank"])))
    try:
        os.chdir(plan["project"])
        os.execvpe(plan["command"][0], plan["command"], environment(plan, rank, os.environ))
    except OSError as error:
        message = "error: rank {} cannot start {}: {}\n"
        sys.stderr.write(message.format(rank["rank"], plan["command"][0], error))
        raise SystemExit(127)


def write(path, text):
    """Write a file that several ranks may want to write at once: it is there whole or not."""
    # a name for each: ranks of other servers, with the same process ids, may share the folder
    part = "{}.{}".format(path, secrets.token_hex(8))
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(part, "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(part, path)


if __name__ == "__main__":
    main(sys.argv[1:])
