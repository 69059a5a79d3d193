"""Write the collectives and operators of each rank, so that ranks can be compared after the run."""

import os

from ascendify_runtime import findings, graphs

_PYTHON_CALLS = frozenset(("PyFunc", "PyFuncStateless", "EagerPyFunc"))
_SCALING = frozenset(("Identity", "IdentityN", "RealDiv", "Div", "Mul", "Cast", "Reshape"))
"""Operators that may be between two reductions of the same gradient."""
_written = []


def note(run):
    """Write the collectives of a run, and the operators of its device graph if it trains."""
    if not _is_distributed():
        return
    _record_reduced_again(run)
    collectives = _collectives(run)
    if not collectives:
        if not run.of_function:  # programs may reduce gradients outside of the function
            _record_alone(run)
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
    """Return [name, shapes and types, path, line] of each collective, in the order of creation."""
    found = []
    for operator in sorted(run.everything, key=lambda item: item._id):
        if not _is_collective(operator):
            continue
        origin = run.origin(operator)
        taken = ", ".join(
            "{}{}".format(item.dtype.base_dtype.name, item.shape) for item in operator.inputs
        )
        path, line = origin.place or ("", 0)
        found.append([operator.name.rpartition("/")[0] or operator.name, taken, path, line])
    return found


def _record_alone(run):
    """Record a training step without collectives in a job of several ranks."""
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


def _record_reduced_again(run):
    """Record reductions over the ranks of values that are already reduced."""
    for operator in run.everything:
        if _kind(operator) == "allreduce" and any(map(_is_reduced, operator.inputs)):
            findings.record(
                "EMU-HCCL-2",
                "manual",
                "a value is reduced over the ranks a second time here",
                "Wrap the optimizer once, or remove the reduction written by hand.",
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
    """Return which collective an operator is; an empty text if it is none."""
    if operator.type not in _PYTHON_CALLS:
        return ""
    try:
        return operator.get_attr("_ascendify_collective").decode("utf-8")
    except ValueError:
        return ""


def _operators(run):
    """Return how many operators of each type the device graph has."""
    counts = {}
    for operator in run.everything:
        if run.on_device(operator) and graphs.is_plain(operator):
            counts[operator.type] = counts.get(operator.type, 0) + 1
    return counts
