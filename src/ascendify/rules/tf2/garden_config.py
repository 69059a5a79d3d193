"""Configuration files of TensorFlow's model garden that choose a strategy and number types."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ascendify.catalog import advice
from ascendify.rules.kit import Changes, Diagnoses, Rule, Status, TextSite
from ascendify.source.edits import Edit

RULE = Rule(
    code="TF2-DIST-12",
    title="Configure model garden programs for one device a process",
    why=(
        "Programs of TensorFlow's model garden read their strategy, the number of GPUs and the way "
        "gradients are reduced from a file. An NPU is neither a GPU nor a TPU to them: a process "
        "trains as if it had one CPU, and npu_device moves the work to the NPU."
    ),
    statuses=(Status.AUTO_CHECK, Status.INFO),
    before="runtime:\n  distribution_strategy: 'mirrored'\n  num_gpus: 8\n  all_reduce_alg: 'nccl'",
    after="runtime:\n  distribution_strategy: 'one_device'\n  num_gpus: 0\n  all_reduce_alg: null",
    safety="One process trains on one device; several devices need one process each.",
)

_ENTRY = re.compile(
    r"""^(?P<indent>[ \t]*)(?:[\w.]+\.)?(?P<key>distribution_strategy|num_gpus|all_reduce_alg
        |enable_xla|mixed_precision_dtype)
        [ \t]*(?P<sign>[:=])[ \t]*(?P<quote>["']?)(?P<value>\w+)(?P=quote)[ \t]*(?:\#.*)?$""",
    re.X | re.M,
)
_SINGLE = frozenset({"one_device", "off"})
_UNSET = frozenset({"null", "none", "~"})
_NONE = {":": "null", "=": "None"}
_FALSE = {":": "false", "=": "False"}


@RULE.text("config")
def one_device(site: TextSite) -> Diagnoses:
    """Set ``distribution_strategy: mirrored`` of a YAML file, or the gin binding, to one device."""
    entries = list(_ENTRY.finditer(site.text))
    if not any(entry["key"] == "distribution_strategy" for entry in entries):
        return
    changes = [(entry, new) for entry in entries for new in _new_value(entry)]
    if changes:
        first = changes[0][0]
        settings = ", ".join(f"{entry['key']} to {new}" for entry, new in changes)
        yield RULE.auto_check(
            site.at(*first.span("value")),
            f"{', '.join(entry[0].strip() for entry, _ in changes)} asks for GPUs or TPUs",
            done=f"Set {settings}.",
            todo=(
                "To train on several devices, start one process each (ascendify launch) and let "
                "the program divide its data and reduce its gradients."
            ),
            fix=Changes([_edit(entry, new) for entry, new in changes]),
        )
    for entry in entries:
        if entry["key"] == "mixed_precision_dtype" and entry["value"] == "bfloat16":
            yield RULE.info(
                site.at(*entry.span("value")),
                f"{entry[0].strip()} computes in bfloat16",
                todo=advice.text("bfloat16-tensorflow"),
            )


def _new_value(entry: re.Match[str]) -> Iterator[str]:
    """The value to set for an entry, where it must change."""
    key, value = entry["key"], entry["value"]
    if key == "distribution_strategy" and value not in _SINGLE:
        yield "one_device"
    elif key == "num_gpus" and value != "0":
        yield "0"
    elif key == "all_reduce_alg" and value.lower() not in _UNSET:
        yield _NONE[entry["sign"]]
    elif key == "enable_xla" and value.lower() == "true":
        yield _FALSE[entry["sign"]]


def _edit(entry: re.Match[str], new: str) -> Edit:
    """Replace a value; one that is not a string loses its quotes."""
    start, end = entry.span("value")
    if entry["key"] == "distribution_strategy":
        return Edit(start, end, new)
    width = len(entry["quote"])
    return Edit(start - width, end + width, new)
