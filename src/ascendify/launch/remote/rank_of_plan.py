"""Read a rank from the plan of a job: its environment, its log, the files that it needs.

The text of this file is part of the agent; see :func:`ascendify.launch.remote.agent`.
"""

import os
import secrets


def environment(plan, rank, base):
    """Return the variables of a rank, as ``ascendify.jobs.environment.rank_environment`` does."""
    found = {key: value for key, value in base.items() if key not in plan["unset"]}
    found.update(rank["environment"])
    search = [found[name] for name in ("ASCENDIFY_SEARCH", "PYTHONPATH") if found.get(name)]
    if "ASCENDIFY_SEARCH" in found:
        found["PYTHONPATH"] = os.pathsep.join(search)
    found.setdefault("PYTHONUNBUFFERED", "1")
    return found


def chosen(plan, word):
    """Return the rank with a number, or with the number in an environment variable."""
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


def write(path, text):
    """Write a file completely or not at all; several ranks may write it at once."""
    # a name for each: ranks of other servers, with the same process ids, may share the folder
    part = "{}.{}".format(path, secrets.token_hex(8))
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(part, "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(part, path)
