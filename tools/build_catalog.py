"""Write the packaged data of ``ascendify.catalog`` from the inputs under ``tools/catalog``.

::

    python tools/build_catalog.py                                   # names, signatures, types
    python tools/build_catalog.py --support PATH/catalog-tf1.json   # a support table as well
    python tools/build_catalog.py --check                           # exit 1 when data is stale

Inputs in the repository: ``introspection-tf1.json.gz`` (written by ``introspect_tf1.py``) and the
hand-written tables ``types-tf1.toml``, ``horovod.toml`` and ``support-words.toml``; those of
TensorFlow 2 and PyTorch are named in ``build_tf2.py`` and ``build_torch.py``. The vendor's support
tables are not in the repository; without one its verdicts are taken from the packaged file, so
``--check`` still proves that words, names and form are those this tool writes.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parent.parent
INPUTS = ROOT / "tools" / "catalog"
DATA = ROOT / "src" / "ascendify" / "catalog" / "data"

sys.path.insert(0, str(ROOT / "tools"))
import build_tf2  # noqa: E402  the other parts of this tool
import build_torch  # noqa: E402
from tensorflow_tables import (  # noqa: E402
    Api,
    Json,
    Names,
    kinds_of,
    own_bases,
    own_signatures,
    own_types,
    packed,
    packed_kinds,
    packed_signatures,
)

MODULES = {
    "tf.flags": "tf.app.flags",
    "tf.python.platform.flags": "tf.app.flags",
    "tf.python.keras.api._v1.keras": "tf.keras",
    "tf.python.keras.api.keras": "tf.keras",
    "tf._api.v1": "tf",
}
"""Modules that are another module under a second path."""


def spelled_with_tf(path: str) -> str:
    """A module path with ``tensorflow`` shortened to ``tf``, the way every name is packaged."""
    root, dot, rest = path.partition(".")
    return f"tf{dot}{rest}" if root == "tensorflow" else path


TF1 = Api(
    root="tf",
    release="TensorFlow 1.15",
    spelled=spelled_with_tf,
    groups=("tf.contrib.", "tf.compat.v2"),
    reexporting=("tf.contrib.slim",),
    preferred=frozenset(
        {
            "tf.float16",
            "tf.float64",
            "tf.image.resize_image_with_crop_or_pad",
            "tf.image.resize_images",
        }
    ),
    instance_attributes={"tf.keras.Model": ("inputs", "optimizer", "outputs")},
    generic_bases=frozenset(
        {"tf.contrib.checkpoint.CheckpointableBase", "tf.contrib.eager.Checkpointable"}
    ),
)


def names_data(names: Names) -> Json:
    """Paths to the name of what they reach, and public names that share one object."""
    moved: dict[str, dict[str, str]] = defaultdict(dict)
    same: dict[str, dict[str, str]] = defaultdict(dict)
    own_v2: dict[str, list[str]] = defaultdict(list)
    for module, table in names.public.items():
        for attribute, number in table.items():
            name = names.primary[number]
            if module.startswith("tf.compat.v2"):
                if name == f"{module}.{attribute}":
                    own_v2[module].append(attribute)
                elif names.public.get(without_v2(module), {}).get(attribute) != number:
                    same[module][attribute] = name
            elif name != f"{module}.{attribute}":
                target = same if module.startswith("tf.contrib.") else moved
                target[module][attribute] = name
    for module in names.private.keys() - names.public.keys():
        for attribute, number in names.private[module].items():
            name = near(names, module, attribute, number)
            if name != f"{module}.{attribute}":
                moved[module][attribute] = name
    return {
        "modules": MODULES,
        "moved": packed(moved),
        "same": packed(same),
        "own_v2": {module: " ".join(sorted(words)) for module, words in sorted(own_v2.items())},
    }


def near(names: Names, module: str, attribute: str, number: int) -> str:
    """The public name a private path stands for: one of the same contrib package if any."""
    parts = module.split(".")
    if parts[:2] == ["tf", "contrib"]:
        package = ".".join(parts[:3]) + "."
        spellings = names.spellings["tf.contrib."].get(number, ())
        local = [name for name in spellings if name.startswith(package)]
        alike = [name for name in local if name.endswith("." + attribute)]
        if local:
            return names.best(number, alike or local)
    return names.primary[number]


def without_v2(module: str) -> str:
    """The TF 1 module that stands where a ``compat.v2`` module does."""
    return "tf" + module[len("tf.compat.v2") :]


def split_parameters(text: str) -> list[str]:
    """``"a, b=None"`` as a list; hand-written defaults contain no commas."""
    return [part.strip() for part in text.split(",")] if text else []


def signatures_data(names: Names, horovod: Json) -> Json:
    """Signatures of functions, constructors and methods, parameters stored once."""
    found = own_signatures(names)
    for module in horovod["modules"]:
        for function, text in horovod["shared"]["signatures"].items():
            found[f"{module}.{function}"] = split_parameters(text)
    for module, functions in horovod["signatures"].items():
        for function, text in functions.items():
            found[f"{module}.{function}"] = split_parameters(text)
    return packed_signatures(found)


def types_data(names: Names, hand: Json, horovod: Json) -> Json:
    """The table of types, with what is written by hand."""
    bases = own_bases(names)
    for source in (hand, horovod):
        bases.update({name: list(above) for name, above in source["bases"].items()})
    types = own_types(names, bases)
    for module in horovod["modules"]:
        for kind, words in horovod["shared"]["returns"].items():
            types.returns.update({f"{module}.{word}": kind for word in words.split()})
    for source in (hand, horovod):
        types.returns.update(kinds_of(names, source["returns"]))
        types.attributes.update(kinds_of(names, source.get("attributes", {})))
    types.enters.update({names.find(name): kind for name, kind in sorted(hand["enters"].items())})
    return types.packed()


def compact(data: Json) -> str:
    """The packaged form: one line, no spaces, a final newline."""
    return json.dumps(data, separators=(",", ":"), ensure_ascii=True) + "\n"


def read_toml(name: str) -> Json:
    """One hand-written table."""
    return tomllib.loads((INPUTS / name).read_text(encoding="utf-8"))


CAUTION = (
    "unsupported",
    "manual",
    "analysing",
    "deprecated",
    "tool_train",
    "tool",
    "harmless",
    "supported",
    "na",
)
"""Verdicts from the one that warns most to the one that warns least."""

COLUMNS = ("vendor", "effective", "note", "conflict", "doc_listed", "module")


def vendor_rows(source: Json) -> dict[str, Json]:
    """API -> verdict, from the vendor's table."""
    return {
        entry["api"].partition("(")[0]: {
            "vendor": entry["status"],
            "effective": entry["effective"],
            "note": entry["note"],
            "conflict": entry.get("conflict", False),
            "doc_listed": entry.get("doc_listed", False),
            "module": entry["module"],
        }
        for entry in source["apis"]
    }


def packaged_rows(name: str) -> tuple[dict[str, Json], dict[str, str]]:
    """API -> verdict and API -> worse spelling, read back from a packaged table."""
    data = json.loads((DATA / name).read_bytes())
    rows: dict[str, Json] = {}
    for *values, modules in data["rows"]:
        for module, words in modules.items():
            for word in words.split():
                rows[f"{module}.{word}".lstrip(".")] = dict(zip(COLUMNS, values))
    return rows, data["worse_spelling"]


def spelling_conflicts(names: Names, rows: dict[str, Json]) -> dict[str, str]:
    """API -> another spelling of the same object that is judged worse.

    The vendor judges some objects differently by spelling. The most cautious verdict counts for
    all, and all are marked as conflicting.
    """
    worse: dict[str, str] = {}
    for spellings in names.core.values():
        listed = [name for name in spellings if name in rows]
        if len({rows[name]["effective"] for name in listed}) < 2:
            continue
        worst = min(listed, key=lambda name: CAUTION.index(rows[name]["effective"]))
        for name in listed:
            if rows[name]["effective"] != rows[worst]["effective"]:
                worse[name] = worst
    return worse


def vendor_tables(paths: Iterable[Path]) -> dict[str, Json]:
    """The vendor's tables that are given, by the first word of their TensorFlow's release."""
    tables: dict[str, Json] = {}
    for path in paths:
        source = json.loads(path.read_text(encoding="utf-8"))
        tables["tf2" if source["framework"].startswith("tensorflow 2") else "tf1"] = source
    return tables


def support_data(names: Names, rows: dict[str, Json], worse: dict[str, str], words: Json) -> Json:
    """The support table, grouped by verdict."""
    for name, worst in worse.items():
        rows[name]["effective"] = rows[worst]["effective"]
        rows[name]["conflict"] = rows[worst]["conflict"] = True
    for name, row in rows.items():
        standing_for = "tf." + name.split(".", 3)[-1]
        if row["vendor"] == "compat" and standing_for in worse:
            row["effective"] = rows[standing_for]["effective"]
    unknown = {key for row in rows.values() for key in row["note"].split("|")} - set(words["notes"])
    if unknown:
        raise SystemExit(f"support-words.toml has no words for the notes {sorted(unknown)}")
    groups: dict[tuple[Any, ...], dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for name, row in sorted(rows.items()):
        module, _, last = name.rpartition(".")
        groups[tuple(row[column] for column in COLUMNS)][module].append(last)
    return {
        "release": words["release"],
        "legend": words["legend"],
        "notes": words["notes"],
        "evidence": words["evidence"],
        "worse_spelling": dict(sorted(worse.items())),
        "rows": [
            [*values, {module: " ".join(found) for module, found in modules.items()}]
            for values, modules in sorted(groups.items())
        ],
    }


def words_of_tf2(shared: Json) -> Json:
    """The words of TensorFlow 2's support table, with those it shares with TensorFlow 1's."""
    own = read_toml("support-words-tf2.toml")
    used = {**shared["notes"], **own["notes"]}
    return {
        **own,
        "legend": {**shared["legend"], **own["legend"]},
        "notes": {key: used[key] for key in used if not key.startswith("hvd_")},
    }


def snapshot(name: str) -> Json:
    """What an introspection found."""
    found: Json = json.loads(
        gzip.decompress((INPUTS / f"introspection-{name}.json.gz").read_bytes())
    )
    return found


def build(support: Iterable[Path]) -> dict[str, str]:
    """File name -> text of every data file."""
    hand = read_toml("types-tf1.toml")
    horovod = read_toml("horovod.toml")
    names = Names(snapshot("tf1"), hand["kin"], TF1)
    words = read_toml("support-words.toml")
    vendor = vendor_tables(support)
    if "tf1" in vendor:
        rows = vendor_rows(vendor["tf1"])
        worse = spelling_conflicts(names, rows)
    else:
        rows, worse = packaged_rows("support-tf1.json")
    data = {
        "names-tf1": names_data(names),
        "signatures-tf1": signatures_data(names, horovod),
        "types-tf1": types_data(names, hand, horovod),
        "support-tf1": support_data(names, rows, worse, words),
        **tf2_data(names, hand, words, vendor.get("tf2")),
        **torch_data(),
    }
    data["frameworks"] = roots(data)
    return {f"{name}.json": compact(table) for name, table in data.items()}


def tf2_data(tf1: Names, tf1_hand: Json, shared: Json, vendor: Json | None) -> dict[str, Json]:
    """The tables of TensorFlow 2."""
    newer, older = snapshot("tf2"), snapshot("tf2.6")
    hand = read_toml("types-tf2.toml")
    names = build_tf2.names_of(newer, older, hand["kin"], tf1)
    if vendor is None:
        rows, worse = packaged_rows("support-tf2.json")
    else:
        rows = build_tf2.vendor_rows(vendor)
        worse = spelling_conflicts(names, rows)
    return {
        "names-tf2": build_tf2.names_data(names, newer, older),
        "signatures-tf2": build_tf2.signatures_data(names),
        "types-tf2": build_tf2.types_data(names, hand, tf1, tf1_hand),
        "support-tf2": support_data(names, rows, worse, words_of_tf2(shared)),
        "tensorflow-releases": build_tf2.releases_data(names, tf1),
    }


def torch_data() -> dict[str, Json]:
    """The tables of PyTorch."""
    hand = read_toml("types-torch.toml")
    libraries = read_toml("torch-libraries.toml")
    npu = json.loads((DATA / "torch-npu-api.json").read_bytes())
    names = build_torch.TorchNames(snapshot("torch"), hand)
    return {
        "names-torch": build_torch.torch_names(names, hand, packed),
        "signatures-torch": packed_signatures(
            build_torch.torch_signatures(names, hand, libraries, npu)
        ),
        "types-torch": build_torch.torch_types(names, hand, libraries, npu, packed_kinds),
        "support-torch": build_torch.torch_support(
            json.loads((DATA / "support-torch.json").read_bytes()),
            read_toml("support-words-torch.toml"),
        ),
    }


def roots(data: dict[str, Json]) -> Json:
    """Framework -> first parts of the names its tables know, to choose a table by a name.

    ``packages`` are those of which only a verdict is known.
    """
    found: dict[str, set[str]] = defaultdict(set)
    for table, content in data.items():
        section, _, framework = table.partition("-")
        if section not in ("names", "signatures", "types", "support"):
            continue
        names: list[str] = []
        if section == "signatures":
            names = list(content["names"])
        elif section == "types":
            names = [*content["bases"], *content["members"], *content["enters"]]
            for part in ("returns", "attributes"):
                names += [module for modules in content[part].values() for module in modules]
        elif section == "support":
            names = [
                f"{module}.{word}".lstrip(".")
                for *_, modules in content["rows"]
                for module, words in modules.items()
                for word in words.split()
            ]
        elif section == "names":
            names = [*content["modules"], *content["moved"], *content["same"]]
        if section == "support" and framework == "torch":
            framework = "packages"
        found[framework].update(name.partition(".")[0] for name in names)
    found["packages"] -= found["torch"]
    return {framework: " ".join(sorted(words)) for framework, words in sorted(found.items())}


def main(arguments: list[str] | None = None) -> int:
    """Write or check the data files; 0 when all is well, 1 when a file is stale."""
    parser = argparse.ArgumentParser(description="Write the packaged data of ascendify.catalog.")
    parser.add_argument("--check", action="store_true", help="write nothing, fail on differences")
    parser.add_argument(
        "--support",
        type=Path,
        action="append",
        default=[],
        help="a support table of the vendor: catalog-tf1.json or catalog-tf2.json; repeatable",
    )
    options = parser.parse_args(arguments)
    stale = []
    for name, text in build(options.support).items():
        path = DATA / name
        if not path.exists() or path.read_bytes() != text.encode("ascii"):
            stale.append(name)
            if not options.check:
                path.write_bytes(text.encode("ascii"))
                print(f"wrote {name}: {len(text)} bytes")
    if options.check and stale:
        print(f"stale: {', '.join(stale)}; run python tools/build_catalog.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
