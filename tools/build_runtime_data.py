"""Write the tables of the stand-ins from the catalogue; with --check, fail when one is stale.

Stand-ins run in the user's interpreter and may not import the catalogue, so what they need of it
travels with them in ``ascendify_runtime/data``: the options of a session, the hardware, and the
environment variables of GPUs.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ascendify.catalog import gpu_variables, hardware, options

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


def _rule(item: options.Rule) -> dict[str, Any]:
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


TABLES: dict[str, tuple[str, Callable[[], dict[str, Any]]]] = {
    "options.json": ("npu-options.json", option_table),
    "hardware.json": ("hardware.json", hardware_table),
    "gpu_variables.json": ("gpu-variables.json", variable_table),
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
