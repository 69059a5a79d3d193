"""What each rank of a job runs, written down so that the ranks can be compared after the run."""

import os

from ascendify_runtime import findings, graphs

_PYTHON_CALLS = frozenset(("PyFunc", "PyFuncStateless", "EagerPyFunc"))
_SCALING = frozenset(("Identity", "IdentityN", "RealDiv", "Div", "Mul", "Cast", "Reshape"))
"""What stands between two reductions of the same thing."""
_written = []


def note(run):
    """Write the collectives of a run, and the operators of its device graph when it trains."""
    if not _is_distributed():
        return
    _tell_reduced_again(run)
    collectives = _collectives(run)
    if not collectives:
        _tell_alone(run)
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
        if not _is_collective(operator):
            continue
        origin = run.origin(operator)
        taken = ", ".join(
            "{}{}".format(item.dtype.base_dtype.name, item.shape) for item in operator.inputs
        )
        path, line = origin.place or ("", 0)
        found.append([operator.name.rpartition("/")[0] or operator.name, taken, path, line])
    return found


def _tell_alone(run):
    """Tell about a training step in which the ranks have nothing to do with each other."""
    if run.trains:
        findings.record(
            "EMU-HCCL-3",
            "manual",
            "a training step of {} ranks exchanges nothing: each trains a model of its own".format(
                os.environ["RANK_SIZE"]
            ),
            "Migrate with --distributed tf_strategy, which wraps the optimizer and broadcasts the "
            "variables, or start one rank.",
        )


def _tell_reduced_again(run):
    """Tell about sums over the ranks of what is a sum over the ranks already."""
    for operator in run.operators:
        if _kind(operator) == "allreduce" and any(map(_is_reduced, operator.inputs)):
            findings.record(
                "EMU-HCCL-2",
                "manual",
                "what is reduced over the ranks here has been reduced before",
                "Wrap the optimizer once, or take out the reduction written by hand.",
                run.origin(operator).place,
            )


def _is_reduced(tensor):
    pending = [tensor]
    while pending:
        operator = pending.pop().op
        if _kind(operator) == "allreduce":
            return True
        if operator.type in _SCALING:
            pending.extend(operator.inputs)
    return False


def _is_collective(operator):
    return bool(_kind(operator))


def _kind(operator):
    """Which collective an operator is; empty when it is none."""
    if operator.type not in _PYTHON_CALLS:
        return ""
    try:
        return operator.get_attr("_ascendify_collective").decode("utf-8")
    except ValueError:
        return ""


def _operators(run):
    """How many operators of each type the device graph has."""
    counts = {}
    for operator in run.operators:
        if run.on_device(operator) and graphs.is_plain(operator):
            counts[operator.type] = counts.get(operator.type, 0) + 1
    return counts
