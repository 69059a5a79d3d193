"""Write the tables of the stand-ins from the catalogue; with --check, fail when one is stale.

Stand-ins run in the user's interpreter and may not import the catalogue, so what they need of it
travels with them in ``ascendify_runtime/data``: the options of a session, the hardware, the
environment variables of GPUs, and the verdicts on operators in TensorFlow 2.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from build_catalog import read_toml

from ascendify.catalog import gpu_variables, hardware, options, support
from ascendify.catalog._data import TENSORFLOW2
from ascendify.findings import Status

PACKAGE = Path(__file__).parent.parent / "src/ascendify/emulation/packages/ascendify_runtime"
FOLDER = PACKAGE / "data"
TORCH = "torch"


def option_table() -> dict[str, Any]:
    """What the stand-ins know of the options of a session."""
    return {
        "options": {item.key: _option(item) for item in options.all_options()},
        "rules": [_rule(item) for item in options.rules() if item.needs or item.forbids],
    }


def _option(item: options.Option) -> dict[str, Any]:
    kept = {
        name
        for name, value in (
            ("default", item.default),
            ("minimum", item.minimum),
            ("maximum", item.maximum),
        )
        if value is not None
    }
    row = {
        "field": item.field,
        "argument": item.run_config,
        "global": item.global_option,
        "deprecated": item.deprecated,
        "replacement": item.replacement,
        "default": item.default,
        "values": list(item.values),
        "minimum": item.minimum,
        "maximum": item.maximum,
        "pattern": item.pattern,
        "check": item.check,
        "expected": item.expected,
        "unread": item.internal or item.no_effect,
        "successor": next(iter(item.rewrite.items()), None),
    }
    # A default of 0 or False is a fact; the rest that is empty says nothing.
    return {name: value for name, value in row.items() if value or name in kept}


def _rule(item: options.OptionRule) -> dict[str, Any]:
    return {
        "severity": item.severity,
        "when": _condition(item.when),
        "needs": [_condition(one) for one in item.needs],
        "forbids": [_condition(one) for one in item.forbids],
        "why": item.why,
    }


def _condition(item: options.Condition) -> dict[str, Any]:
    return {
        "option": item.option,
        "values": list(item.values),
        "other_than": list(item.other_than),
    }


def hardware_table() -> dict[str, Any]:
    """The models that are emulated, the oldest first."""
    families = [each for each in hardware.families().values() if each.emulated]
    return {"models": [_model(each) for each in families]}


def _model(each: hardware.Hardware) -> dict[str, Any]:
    kept = ("bfloat16", "inf_nan", "memory", "cache", "cube_cores", "vector_cores", "counts",
            "reduced", "multiplied", "moved")  # fmt: skip
    return {
        "family": each.name,
        "name": each.chip,
        "networks": [sorted(network) for network in each.networks],
        **{name: getattr(each, name) for name in kept},
    }


def variable_table() -> dict[str, Any]:
    """Variables that only GPU software reads, and what to do about them in a PyTorch program."""
    concern = [
        each
        for each in gpu_variables.all_variables()
        if not each.frameworks or TORCH in each.frameworks
    ]
    return {
        "variables": [
            {
                "pattern": each.name.replace("*", r"\w*") + "$",
                "todo": _todo(each),
            }
            for each in concern
        ]
    }


def _todo(variable: gpu_variables.GpuVariable) -> str:
    other = variable.counterpart(TORCH)
    if variable.kind == gpu_variables.DEVICES:
        return f"Use {other}, with device numbers in ascending order."
    return f"Use {other}." if other else variable.instead(TORCH) or "Leave it out."


SESSION_OPERATORS = FOLDER / "operators.json"
"""Written by hand: operators of the host, and those that sessions refuse."""
_REFUSED = {"unsupported": Status.MANUAL, "manual": Status.INFO}
"""Verdict on an operator -> status of its finding; the adapter runs it on the host."""
_WORKS = ("supported", "tool", "tool_train", "harmless")
_RAW = "tf.raw_ops."


def operator_table() -> dict[str, Any]:
    """What the stand-ins know of operators in a `tf.function` and in eager code.

    The host's operators are those of sessions. Operators that cannot be compiled (``EMU-OP-2``) are
    the same, too, but no reason to fail: the adapter splits the graph there by itself.
    """
    sessions = json.loads(SESSION_OPERATORS.read_text(encoding="utf-8"))
    listed = read_toml("operators-tf2.toml")["operators"]
    named = {api for row in listed for api in row["apis"]}
    raw = [api.replace("tf2.", "tf.", 1) for api in support.listed("unsupported", of=TENSORFLOW2)]
    listed += [
        {"types": [api[len(_RAW) :]], "apis": [api]}
        for api in raw
        if api.startswith(_RAW) and api not in named
    ]
    split = [row for row in sessions["refused"] if row["code"] == "EMU-OP-2"]
    return {
        "host": sessions["host"],
        "refused": [
            *filter(None, map(_refused, listed)),
            *({**row, "status": Status.INFO.value, "todo": _SPLIT} for row in split),
            {
                "code": "EMU-OP-2", "status": Status.INFO.value, "mixed": True, "network": True,
                "operators": _OF_STRINGS, "apis": [],
                "reason": "strings exist on the host only", "todo": _SPLIT,
            },
        ],
    }  # fmt: skip


_SPLIT = (
    "The graph is split there, and the data is copied to the host and back in every step: move it "
    "to the input pipeline (Dataset.map)."
)
_OF_STRINGS = [
    "String*", "UnsortedSegmentJoin", "Regex*", "StaticRegex*", "AsString", "Substr", "ReduceJoin",
    "Unicode*", "DecodeBase64", "EncodeBase64", "DecodeRaw", "DecodePaddedRaw", "DecodeCSV",
    "DecodeJSONExample", "DecodeCompressed", "DecodeImage", "DecodeJpeg", "DecodeAndCropJpeg",
    "DecodePng", "DecodeGif", "DecodeBmp", "DecodeWav", "EncodeJpeg*", "EncodePng", "EncodeWav",
    "Parse*Example*", "ParseTensor", "SerializeTensor",
]  # fmt: skip
"""Operators that take or give strings, whatever their arguments."""


def _refused(row: dict[str, Any]) -> dict[str, Any] | None:
    """The entry of an operator; None if it works, or if the vendor has not decided."""
    found = {api: support.lookup(api.replace("tf.", "tf2.", 1)) for api in row["apis"]}
    unknown = sorted(api for api, verdict in found.items() if verdict is None)
    if unknown:
        raise SystemExit(f"operators-tf2.toml: the catalogue has no verdict on {unknown}")
    verdicts = {api: one.effective for api, one in found.items() if one is not None}
    if any(one in _WORKS for one in verdicts.values()):
        return None
    best = next((one for one in ("manual", "unsupported") if one in verdicts.values()), None)
    if best is None:
        return None
    api = next(name for name, one in verdicts.items() if one == best)
    return {
        "code": "EMU-OP-1",
        "status": _REFUSED[best].value,
        "mixed": True,
        **({"direct": True} if row.get("direct") else {}),
        "operators": row["types"],
        "apis": [name for name, one in verdicts.items() if one == best],
        "reason": (
            f"the vendor lists {api} as unsupported, so it fails or is computed on the host"
            if best == "unsupported"
            else f"the vendor's statements on {api} contradict each other"
        ),
        "todo": row.get("todo", "Take it out of the program."),
    }


TABLES: dict[str, tuple[str, Callable[[], dict[str, Any]]]] = {
    "options.json": ("npu-options.json", option_table),
    "hardware.json": ("hardware.json", hardware_table),
    "gpu_variables.json": ("gpu-variables.json", variable_table),
    "operators_tf2.json": ("support-tf2.json", operator_table),
}
"""File of the stand-ins -> the file of the catalogue it is made from, and how."""


def text(name: str) -> str:
    """A file as it must be."""
    origin, make = TABLES[name]
    source = f"src/ascendify/catalog/data/{origin}, by tools/build_runtime_data.py"
    return json.dumps({"source": source, **make()}, indent=1) + "\n"


def main() -> int:
    """Write the tables, or with --check only compare them."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in TABLES:
        file = FOLDER / name
        if "--check" not in sys.argv[1:]:
            file.write_text(text(name), encoding="utf-8")
        elif not file.is_file() or file.read_text(encoding="utf-8") != text(name):
            print(f"{name} is stale: run tools/build_runtime_data.py")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
