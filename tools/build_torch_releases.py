"""Write what is known of torch_npu by release; with --check, fail when a file is stale.

::

    python tools/build_torch_releases.py
    python tools/build_torch_releases.py --check

Inputs in the repository: ``torch-npu-wheels.json.gz`` (names, signatures, operators, kernels and
variables that 22 wheels hold, read without importing them) and the hand-written
``torch-npu-releases.toml`` (every release with its stack, CANN, and what its names do not tell).
``torch-since.json`` says which names came with which PyTorch (``introspect_torch_since.py``).

Outputs: three tables of ``ascendify.catalog``, and one that travels with the stand-in of torch_npu,
which runs in the user's interpreter and may not import the catalogue.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

Json = dict[str, Any]

ROOT = Path(__file__).resolve().parent.parent
INPUTS = ROOT / "tools" / "catalog"
CATALOG = ROOT / "src" / "ascendify" / "catalog" / "data"
STAND_IN = ROOT / "src" / "ascendify" / "emulation" / "packages" / "torch_npu" / "_release"
_PATCH_STACKS = {"26.0.x": "26.0.0"}
"""Stacks of wheels that the published table does not list, and the stack they are a patch of."""
_INTERNAL = re.compile(r"^_|backward|_grad(?:_|$)|\.")
"""Operators nobody calls by name: that they exist is kept, their signatures are not."""


def build() -> dict[Path, str]:
    """The text of every file this tool writes."""
    wheels = json.loads(gzip.decompress((INPUTS / "torch-npu-wheels.json.gz").read_bytes()))
    hand = tomllib.loads((INPUTS / "torch-npu-releases.toml").read_text(encoding="utf-8"))
    since = json.loads((INPUTS / "torch-since.json").read_text(encoding="ascii"))
    releases = _releases(wheels, hand)
    _check_behaviours(hand, releases)
    names = _names(wheels)
    read = [item["version"] for item in wheels["releases"]]
    catalog = {
        "source": hand["source"],
        "stacks": {name: "" if cann == "?" else cann for name, cann in hand["stacks"]},
        "compatible": hand["compatible"],
        "releases": releases,
        "prereleases": _prereleases(wheels, releases),
        "read": read,
        "behaviours": hand["behaviours"],
    }
    stand_in = {
        "releases": [
            [version, torch, stack, number]
            for version, torch, stack, _, _, number in releases
            if _numbers(torch) >= (2, 1)
        ],
        "names": _partly(names, len(read)),
        "read": read,
    }
    return {
        CATALOG / "torch-npu-releases.json": _lines(catalog),
        CATALOG / "torch-npu-names.json": _lines(_packed(wheels, names)),
        CATALOG / "torch-since.json": _lines(_since(since)),
        STAND_IN / "data.json": _lines(stand_in),
    }


# --- releases --------------------------------------------------------------------------------


def _releases(wheels: Json, hand: Json) -> list[list[Any]]:
    """Version, PyTorch, stack, whether that is assumed, Pythons, and the wheel it is read as."""
    order = [name for name, _ in hand["stacks"]]
    pythons = {**wheels["pythons"], **hand["python"]}
    found = []
    for torch, texts in hand["releases"].items():
        for text in texts:
            version, stack = text.split()
            assumed = stack.endswith("~")
            stack = stack.rstrip("~")
            if stack not in order:
                raise SystemExit(f"{version}: the stack {stack} is not listed")
            python = pythons.get(version.replace(".rc", "rc")) or pythons.get(torch, "")
            number = _read_as(wheels, order, version, torch, stack)
            found.append([version, torch, stack, int(assumed), python, number])
    known = {item[0] for item in found}
    missing = [item["version"] for item in wheels["releases"] if item["version"] not in known]
    missing += [
        version for version in wheels["pythons"] if "rc" not in version and version not in known
    ]
    if missing:
        raise SystemExit(f"releases without a stack: {', '.join(missing)}")
    return found


def _read_as(wheels: Json, order: list[str], version: str, torch: str, stack: str) -> int:
    """The wheel whose names stand for a release: its own, else the nearest of its stack.

    Where no wheel of a stack was read, those of the newest older stack count; for releases
    older than all of them, the oldest.
    """
    rows = wheels["releases"]
    for number, row in enumerate(rows):
        if row["version"] == version:
            return number
    stacks = [_PATCH_STACKS.get(row["stack"], row["stack"]) for row in rows]
    ranks = [order.index(name) for name in stacks]
    rank = max((item for item in ranks if item <= order.index(stack)), default=min(ranks))
    same = [number for number, item in enumerate(ranks) if item == rank]
    minor = _numbers(torch)[1]
    return min(same, key=lambda number: (abs(_numbers(rows[number]["version"])[1] - minor), number))


def _prereleases(wheels: Json, releases: Iterable[list[Any]]) -> dict[str, Any]:
    """Pythons of release candidates whose stack nobody published."""
    known = {item[0].replace(".rc", "rc") for item in releases}
    return {
        version: python
        for version, python in wheels["pythons"].items()
        if "rc" in version and version not in known
    }


def _check_behaviours(hand: Json, releases: list[list[Any]]) -> None:
    """Stop when a condition names a stack, a PyTorch or a release that is not listed."""
    known = {
        "stack": {name for name, _ in hand["stacks"]},
        "torch": {item[1] for item in releases},
        "before_torch": {item[1] for item in releases},
        "only": {item[0] for item in releases},
    }
    for name, conditions in hand["behaviours"].items():
        for key, listed in conditions.items():
            unknown = set(listed.split()) - known[key]
            if unknown:
                raise SystemExit(f"{name}: no {key} {', '.join(sorted(unknown))} is listed")


def _numbers(version: str) -> tuple[int, int]:
    first, second = version.split(".")[:2]
    return int(first), int(second)


# --- names -----------------------------------------------------------------------------------


def _names(wheels: Json) -> dict[str, dict[str, str]]:
    """Dotted name -> range of wheels -> signature, empty where none is kept."""
    found: dict[str, dict[str, str]] = {name: dict(sig) for name, sig in wheels["names"].items()}
    for operator, sig in wheels["ops"].items():
        if "." not in operator:
            hidden = _INTERNAL.search(operator) is not None
            texts = {_joined(sig): ""} if hidden else dict(sig)
            found.setdefault(f"torch_npu.{operator}", texts)
    for numbers, listed in wheels["modules"].items():
        for module in listed.split():
            found.setdefault(module, {numbers: "module"})
    for name in found:
        _inherit(found, name)
    return dict(sorted(found.items()))


def _inherit(names: dict[str, dict[str, str]], name: str) -> None:
    """Keep a method of a class that got another base class: it moved there, out of sight."""
    owner = names.get(name.rpartition(".")[0], {})
    bases = {
        number: text.partition(")")[0]
        for numbers, text in owner.items()
        if text.startswith("class(")
        for number in _numbered(numbers)
    }
    last_range = max(names[name], key=lambda numbers: max(_numbered(numbers)))
    last = max(_numbered(last_range))
    moved = [number for number in bases if number > last and bases[number] != bases.get(last)]
    if last in bases and moved:
        text = names[name].pop(last_range)
        names[name][_joined([last_range, *map(str, moved)])] = text


def _partly(names: dict[str, dict[str, str]], count: int) -> dict[str, dict[str, str]]:
    """Range of wheels -> module -> names, of names that some wheel lacks."""
    found: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for name, sig in names.items():
        numbers = _joined(sig)
        if len(_numbered(numbers)) < count:
            module, _, last = name.rpartition(".")
            found[numbers][module].append(last)
    return {
        numbers: {module: " ".join(listed) for module, listed in modules.items()}
        for numbers, modules in sorted(found.items())
    }


def _packed(wheels: Json, names: dict[str, dict[str, str]]) -> Json:
    """Every signature once; a name has ``range=number of its text``, several with a space."""
    texts = sorted({text for sig in names.values() for text in sig.values()})
    numbers = {text: number for number, text in enumerate(texts)}
    modules: dict[str, dict[str, str]] = defaultdict(dict)
    for name, sig in names.items():
        module, _, last = name.rpartition(".")
        ordered = sorted(sig.items(), key=lambda item: min(_numbered(item[0])))
        modules[module][last] = " ".join(f"{key}={numbers[text]}" for key, text in ordered)
    return {
        "texts": texts,
        "names": dict(sorted(modules.items())),
        "kernels": wheels["aten"],
    }


def _since(since: dict[str, str]) -> dict[str, dict[str, str]]:
    """Release of PyTorch -> module -> names it is the first to have."""
    found: dict[str, dict[str, list[str]]] = {}
    for release, names in since.items():
        modules = found.setdefault(release, defaultdict(list))
        for name in names.split():
            module, _, last = name.rpartition(".")
            modules[module].append(last)
    return {
        release: {module: " ".join(listed) for module, listed in modules.items()}
        for release, modules in found.items()
    }


def _numbered(text: str) -> list[int]:
    """The numbers of a range such as ``5,7-21``."""
    found: list[int] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        found.extend(range(int(first), int(last or first) + 1))
    return found


def _joined(ranges: Iterable[str]) -> str:
    """One range for all numbers of several."""
    numbers = sorted({number for text in ranges for number in _numbered(text)})
    parts: list[list[int]] = []
    for number in numbers:
        if parts and parts[-1][-1] == number - 1:
            parts[-1].append(number)
        else:
            parts.append([number])
    return ",".join(str(part[0]) if len(part) == 1 else f"{part[0]}-{part[-1]}" for part in parts)


# --- files -----------------------------------------------------------------------------------


def _lines(data: Json) -> str:
    """JSON with a line for each entry of its tables, so that differences can be read."""
    sections = []
    for key, value in data.items():
        if isinstance(value, dict):
            rows = ",\n".join(f"{json.dumps(name)}:{_short(item)}" for name, item in value.items())
            sections.append(f"{json.dumps(key)}:{{\n{rows}\n}}")
        elif isinstance(value, list):
            rows = ",\n".join(map(_short, value))
            sections.append(f"{json.dumps(key)}:[\n{rows}\n]")
        else:
            sections.append(f"{json.dumps(key)}:{_short(value)}")
    return "{\n" + ",\n".join(sections) + "\n}\n"


def _short(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


def main(arguments: list[str] | None = None) -> int:
    """Write or check the files; 0 when all is well, 1 when one is stale."""
    parser = argparse.ArgumentParser(description="Write what is known of torch_npu by release.")
    parser.add_argument("--check", action="store_true", help="write nothing, fail on differences")
    options = parser.parse_args(arguments)
    stale = []
    for path, text in build().items():
        if path.exists() and path.read_bytes() == text.encode("ascii"):
            continue
        stale.append(str(path.relative_to(ROOT)))
        if not options.check:
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(text.encode("ascii"))
            print(f"wrote {path.relative_to(ROOT)}: {len(text)} bytes")
    if options.check and stale:
        print(
            f"stale: {', '.join(stale)}; run python tools/build_torch_releases.py", file=sys.stderr
        )
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
