"""Write the findings and the lines of the audit when a process exits."""

import atexit
import json
import multiprocessing.util
import os
import sys

import torch
from ascendify_runtime import cuda_variables, findings

from torch_npu._watch import cuda_leftovers, operators, support_table, training, user_lines

_WAIT_ADVICE = "Read values only every n steps, or collect them on the device and read them once."
_done = set()
"""Ids of the processes that have written; a forked child writes for itself."""


def begin():
    """Write when this process exits, also if multiprocessing ends it."""
    atexit.register(report)
    multiprocessing.util.Finalize(None, report, exitpriority=-100)


def report():
    """Write findings and audit once per process."""
    if os.getpid() in _done:
        return
    _done.add(os.getpid())
    if findings.strict():
        if not hasattr(sys, "last_type"):
            # a program that failed may not have reached these parts
            training.record()
            _record_waits()
        cuda_leftovers.record_variables()
    file = os.environ.get("ASCENDIFY_AUDIT")
    if file and _did_anything():
        _append(file, list(_lines()))


def _did_anything():
    """Whether anything was counted; a launcher imports torch without using it."""
    counted = (operators.calls, cuda_leftovers.queries, cuda_variables.touched)
    return bool(training.steps()) or any(counted)


def _record_waits():
    """Record all waits of the host, and as findings the lines with at least one a step."""
    steps = training.steps()
    if steps:
        lines = [[*place, count] for (_, place), count in operators.waits.items()]
        findings.write({"waits": {"steps": steps, "lines": lines}, "rank": findings.rank()})
    for (what, place), count in operators.waits.items():
        if steps > 1 and count >= steps and place is not user_lines.NOWHERE:
            findings.record(
                "EMU-TORCH-SYNC-1",
                findings.INFO,
                "{} and the host waits for the device, {} times in {} steps".format(
                    what, count, steps
                ),
                _WAIT_ADVICE,
                place,
            )


def _lines():
    """Yield the lines of the audit: first the process, then what it did."""
    yield {
        "kind": "process",
        "steps": training.steps(),
        "peak_bytes": torch.npu.max_memory_allocated(),
        "rank": findings.rank(),
    }
    for (operator, kind, place), count in operators.calls.items():
        yield {**_operator(operator, kind), **_at(place), "count": count}
    for (direction, place), (count, size) in operators.moves.items():
        yield {
            "kind": "move",
            "direction": direction,
            "bytes": size,
            **_at(place),
            "count": count,
        }
    for (what, place), count in operators.waits.items():
        yield {"kind": "wait", "what": what, **_at(place), "count": count}
    for (what, place), count in cuda_leftovers.queries.items():
        yield {"kind": "cuda", "what": what, **_at(place), "count": count}
    for (name, how, place), count in cuda_variables.touched.items():
        yield {"kind": "variable", "name": name, "access": how, **_at(place), "count": count}


def _operator(operator, kind):
    schema = operator._schema
    row = support_table.by_name(support_table.name_of(operator))
    return {
        "kind": "operator",
        "operator": schema.name + ("." + schema.overload_name if schema.overload_name else ""),
        "dtype": str(kind).removeprefix("torch.") if kind is not None else "",
        "api": row.api if row is not None else "",
        "support": row.support if row is not None else "",
        "note": row.note if row is not None else "",
    }


def _at(place):
    return {"path": place[0], "line": place[1], "rank": findings.rank()}


def _append(file, entries):
    """Append all lines with one write: the processes of a job may share a file."""
    text = "".join(json.dumps(entry, sort_keys=True) + "\n" for entry in entries)
    stream = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
    try:
        os.write(stream, text.encode("utf-8"))
    finally:
        os.close(stream)
