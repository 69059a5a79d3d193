"""What each rank of a job runs, written down so that the ranks can be compared after the run."""

import os

from ascendify_runtime import findings, graphs

_PYTHON_CALLS = frozenset(("PyFunc", "PyFuncStateless", "EagerPyFunc"))
_written = []


def note(run):
    """Write the collectives of a run, and the operators of its device graph when it trains."""
    if not _is_distributed():
        return
    collectives = _collectives(run)
    if not collectives:
        return
    entry = {"collectives": collectives, "operators": _operators(run) if run.trains else {}}
    if entry in _written:
        return
    _written.append(entry)
    place = findings.user_place() or ("", 0)
    findings.write({"graph": entry, "path": place[0], "line": place[1], "rank": findings.rank()})


def _is_distributed():
    size = os.environ.get("RANK_SIZE", "")
    return size.isdigit() and int(size) > 1


def _collectives(run):
    """[name, shapes and types, path, line] of each collective, in the order they were made."""
    found = []
    for operator in sorted(run.operators, key=lambda item: item._id):
        if operator.type not in _PYTHON_CALLS or not _is_collective(operator):
            continue
        origin = run.origin(operator)
        taken = ", ".join(
            "{}{}".format(item.dtype.base_dtype.name, item.shape) for item in operator.inputs
        )
        path, line = origin.place or ("", 0)
        found.append([operator.name.rpartition("/")[0] or operator.name, taken, path, line])
    return found


def _is_collective(operator):
    try:
        return bool(operator.get_attr("_ascendify_collective"))
    except ValueError:
        return False


def _operators(run):
    """How many operators of each type the device graph has."""
    counts = {}
    for operator in run.operators:
        if run.on_device(operator) and graphs.is_plain(operator):
            counts[operator.type] = counts.get(operator.type, 0) + 1
    return counts
