"""Write the option table of the stand-ins from the catalogue; with --check, fail when it is stale.

Stand-ins run in the user's interpreter and may not import the catalogue, so what they need of it
travels with them as ``ascendify_runtime/data/options.json``.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from ascendify.catalog import options

PACKAGE = Path(__file__).parent.parent / "src/ascendify/emulation/packages/ascendify_runtime"
FILE = PACKAGE / "data" / "options.json"


def table() -> dict[str, Any]:
    """What the stand-ins know of the options of a session."""
    return {
        "source": "src/ascendify/catalog/data/npu-options.json, by tools/build_runtime_data.py",
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


def text() -> str:
    """The file as it must be."""
    return json.dumps(table(), indent=1) + "\n"


def main() -> int:
    """Write the table, or with --check only compare it."""
    if "--check" in sys.argv[1:]:
        if FILE.is_file() and FILE.read_text(encoding="utf-8") == text():
            return 0
        print(f"{FILE.name} is stale: run tools/build_runtime_data.py")
        return 1
    FILE.parent.mkdir(parents=True, exist_ok=True)
    FILE.write_text(text(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
