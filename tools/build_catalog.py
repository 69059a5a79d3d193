"""Write the packaged data of ``ascendify.catalog`` from the inputs under ``tools/catalog``.

::

    python tools/build_catalog.py                                   # names, signatures, types
    python tools/build_catalog.py --support PATH/catalog-tf1.json   # the support table as well
    python tools/build_catalog.py --check                           # exit 1 when data is stale

Inputs in the repository: ``introspection-tf1.json.gz`` (written by ``introspect_tf1.py``) and the
hand-written tables ``types-tf1.toml``, ``horovod.toml`` and ``support-words.toml``; those of
PyTorch are named in ``build_torch.py``. The vendor's support table is not in the repository;
without it its verdicts are taken from the packaged file, so ``--check`` still proves that words,
names and form are those this tool writes.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections import defaultdict
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
import build_torch  # noqa: E402  the other half of this tool

Json = dict[str, Any]

GENERIC_BASES = {
    "tf.contrib.checkpoint.CheckpointableBase",
    "tf.contrib.eager.Checkpointable",
}
"""Bases of nearly everything; they say nothing about what an object is."""

PREFERRED = {
    "tf.float16",
    "tf.float64",
    "tf.image.resize_image_with_crop_or_pad",
    "tf.image.resize_images",
}
"""Names that TF 1 scripts use although a shorter one exists."""

MODULES = {
    "tf.flags": "tf.app.flags",
    "tf.python.platform.flags": "tf.app.flags",
    "tf.python.keras.api._v1.keras": "tf.keras",
    "tf.python.keras.api.keras": "tf.keras",
    "tf._api.v1": "tf",
}
"""Modules that are another module under a second path."""


INSTANCE_ATTRIBUTES = {
    "tf.keras.Model": ("inputs", "optimizer", "outputs"),
}
"""Attributes that constructors set, which a look at the class does not show."""

OTHER_KINDS = {
    "absl.flags.FlagValues",
    "bool",
    "dict",
    "function",
    "int",
    "keras.models.Model",
    "keras.optimizers.Optimizer",
    "list",
    "numpy.ndarray",
    "str",
    "tuple",
}
"""Kinds that are not classes of TensorFlow."""


def spelled_with_tf(path: str) -> str:
    """A module path with ``tensorflow`` shortened to ``tf``, the way every name is packaged."""
    root, dot, rest = path.partition(".")
    return f"tf{dot}{rest}" if root == "tensorflow" else path


class Names:
    """Which dotted names mean the same object, and which of them is its name."""

    def __init__(self, snapshot: Json, kin: dict[str, str]) -> None:
        self.kin = kin
        self.objects: list[Json] = snapshot["objects"]
        self.public: dict[str, dict[str, int]] = snapshot["public"]
        self.private: dict[str, dict[str, int]] = {
            spelled_with_tf(path): table for path, table in snapshot["private"].items()
        }
        self.core: dict[int, list[str]] = defaultdict(list)
        self.contrib: dict[int, list[str]] = defaultdict(list)
        self.v2: dict[int, list[str]] = defaultdict(list)
        for module, table in self.public.items():
            for attribute, number in table.items():
                group = self.core
                if module.startswith("tf.contrib."):
                    group = self.contrib
                elif module.startswith("tf.compat.v2"):
                    group = self.v2
                group[number].append(f"{module}.{attribute}")
        self.primary: dict[int, str] = {}
        for group in (self.core, self.contrib, self.v2):
            for number, names in group.items():
                self.primary.setdefault(number, self._best(number, names))
        self._name_messages()

    def _best(self, number: int, names: list[str]) -> str:
        """The name people know: not of slim, which re-exports; short; what a class calls itself."""
        own = self.objects[number].get("name")

        def key(name: str) -> tuple[bool, bool, int, bool, int, str]:
            module, _, last = name.rpartition(".")
            from_slim = module.startswith("tf.contrib.slim")
            return (
                name not in PREFERRED,
                from_slim,
                name.count("."),
                own is not None and last != own,
                len(name),
                name,
            )

        return min(names, key=key)

    def _name_messages(self) -> None:
        """Name protocol buffers that are only fields of others: by what they are nested in.

        ``tf.Summary.Value`` where the outer one is public, otherwise by their module.
        """
        public = {
            (entry["path"], entry["qualname"]): self.primary[number]
            for number, entry in enumerate(self.objects)
            if number in self.primary and "qualname" in entry
        }
        for number, entry in enumerate(self.objects):
            if number not in self.primary and "qualname" in entry:
                outer, *inner = entry["qualname"].split(".")
                module = f"{spelled_with_tf(entry['path'])}.{outer}"
                start = public.get((entry["path"], outer), module)
                self.primary[number] = ".".join([start, *inner])

    def of(self, number: int) -> str | None:
        """The one name of an object."""
        return self.primary.get(number)

    def find(self, name: str) -> str:
        """The primary form of a name in a hand-written table; an error when TF has no such name."""
        if not name.startswith("tf.") or name.startswith("tf.python."):
            return name
        number = self._number(name)
        if number is not None:
            return self.primary[number]
        owner, _, member = name.rpartition(".")
        number = self._number(owner)
        if number is None or not (member.startswith("__") or member in self._all_members(number)):
            raise SystemExit(f"{name}: TensorFlow 1.15 has no such name; correct the table")
        return f"{self.primary[number]}.{member}"

    def _all_members(self, number: int) -> set[str]:
        """Names of what a class and its public bases have."""
        chain = [number, *self.objects[number].get("bases", ())]
        return {
            *(name for inner in chain for name in self.methods(inner)),
            *(name for inner in chain for name in self.attributes(inner)),
            *INSTANCE_ATTRIBUTES.get(self.primary[number], ()),
        }

    def _number(self, name: str) -> int | None:
        module, _, attribute = name.rpartition(".")
        return self.public.get(module, {}).get(attribute)

    def methods(self, number: int) -> Json:
        """Methods a class adds to its public bases, with those of a base that is not one of ours.

        The TF 2 class under a TF 1 class is such a base: see ``kin`` in ``types-tf1.toml``.
        """
        found: Json = {}
        for inner in (*self._turned(number), number):
            found.update(self.objects[inner].get("methods", {}))
        return found

    def attributes(self, number: int) -> set[str]:
        """Attributes other than methods, collected like methods."""
        found: set[str] = set()
        for inner in (*self._turned(number), number):
            found.update(self.objects[inner].get("attributes", ()))
        return found

    def _turned(self, number: int) -> list[int]:
        name = self.primary[number]
        return [
            base
            for base in self.objects[number].get("bases", ())
            if self.kin.get(self.primary[base]) == name
        ]

    def near(self, module: str, attribute: str, number: int) -> str:
        """The public name a private path stands for: one of the same contrib package if any."""
        parts = module.split(".")
        if parts[:2] == ["tf", "contrib"]:
            package = ".".join(parts[:3]) + "."
            local = [name for name in self.contrib.get(number, ()) if name.startswith(package)]
            alike = [name for name in local if name.endswith("." + attribute)]
            if local:
                return self._best(number, alike or local)
        return self.primary[number]


def packed(table: dict[str, dict[str, str]]) -> Json:
    """``{module: {attribute: name}}`` grouped by the module of the name.

    ``{"tf.math": {"tf": "abs log", "tf.linalg": "l2=norm"}}`` says that ``tf.math.abs`` is
    ``tf.abs`` and ``tf.math.l2`` is ``tf.linalg.norm``.
    """
    result: Json = {}
    for module in sorted(table):
        groups: dict[str, list[str]] = defaultdict(list)
        for attribute, name in sorted(table[module].items()):
            prefix, _, last = name.rpartition(".")
            groups[prefix].append(attribute if attribute == last else f"{attribute}={last}")
        if groups:
            result[module] = {prefix: " ".join(words) for prefix, words in sorted(groups.items())}
    return result


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
            name = names.near(module, attribute, number)
            if name != f"{module}.{attribute}":
                moved[module][attribute] = name
    return {
        "modules": MODULES,
        "moved": packed(moved),
        "same": packed(same),
        "own_v2": {module: " ".join(sorted(words)) for module, words in sorted(own_v2.items())},
    }


def without_v2(module: str) -> str:
    """The TF 1 module that stands where a ``compat.v2`` module does."""
    return "tf" + module[len("tf.compat.v2") :]


def literal(text: str, names: Names) -> str:
    """A parameter text with references to objects replaced by their names."""
    name, sign, default = text.partition("=@")
    if not sign:
        return text
    known = names.of(int(default))
    return f"{name}={known or '...'}"


def split_parameters(text: str) -> list[str]:
    """``"a, b=None"`` as a list; hand-written defaults contain no commas."""
    return [part.strip() for part in text.split(",")] if text else []


def signatures_data(names: Names, horovod: Json) -> Json:
    """Signatures of functions, constructors and methods, parameters stored once."""
    found: dict[str, list[str]] = {}
    for number, entry in enumerate(names.objects):
        name = names.of(number)
        if name is None or name.startswith("tf.raw_ops."):
            continue
        if entry.get("signature") is not None:
            found[name] = [literal(text, names) for text in entry["signature"]]
        elif entry["kind"] == "class":
            found[name] = []
        for method, texts in names.methods(number).items():
            if not method.startswith("_"):
                found[f"{name}.{method}"] = [literal(text, names) for text in texts]
    for module in horovod["modules"]:
        for function, text in horovod["shared"]["signatures"].items():
            found[f"{module}.{function}"] = split_parameters(text)
    for module, functions in horovod["signatures"].items():
        for function, text in functions.items():
            found[f"{module}.{function}"] = split_parameters(text)
    return packed_signatures(found)


def packed_signatures(found: dict[str, list[str]]) -> Json:
    """Name -> parameter texts, with every text and every list of them stored once."""
    parameters = sorted({text for texts in found.values() for text in texts})
    place = {text: index for index, text in enumerate(parameters)}
    shapes = sorted({tuple(place[text] for text in texts) for texts in found.values()})
    shape_place = {shape: index for index, shape in enumerate(shapes)}
    by_module: dict[str, dict[str, int]] = defaultdict(dict)
    for name, texts in sorted(found.items()):
        module, _, last = name.rpartition(".")
        by_module[module][last] = shape_place[tuple(place[text] for text in texts)]
    return {"parameters": parameters, "shapes": shapes, "names": by_module}


def class_bases(names: Names, hand: Json, horovod: Json) -> dict[str, list[str]]:
    """Class -> public bases, nearest first, with the relations that rules need."""
    bases: dict[str, list[str]] = {}
    for number, entry in enumerate(names.objects):
        name = names.of(number)
        if name is not None and entry["kind"] == "class":
            above = [names.primary[base] for base in entry["bases"]]
            bases[name] = [base for base in above if base not in GENERIC_BASES]
    for name, parent in names.kin.items():
        # Where Python has it the other way round, the relation is turned.
        for cls, above in bases.items():
            if parent == cls or parent in above:
                bases[cls] = [base for base in above if base != name]
            elif name == cls:
                bases[cls] = [parent, *above]
            elif name in above:
                place = above.index(name) + 1
                bases[cls] = [*above[:place], parent, *above[place:]]
    for source in (hand, horovod):
        bases.update({name: list(above) for name, above in source["bases"].items()})
    return bases


def types_data(names: Names, hand: Json, horovod: Json) -> Json:
    """Class hierarchy, members of classes, and what calls, attributes and ``with`` give."""
    bases = class_bases(names, hand, horovod)
    members: dict[str, str] = {}
    attributes: dict[str, str] = {}
    returns: dict[str, str] = {}
    for number, entry in enumerate(names.objects):
        name = names.of(number)
        if name not in bases:
            continue
        own = {*names.methods(number), *names.attributes(number)}
        members[name] = " ".join(sorted(item for item in own if not item.startswith("_")))
        for field, (target, repeated) in entry.get("fields", {}).items():
            inner = names.primary[target]
            attributes[f"{name}.{field}"] = f"{name}.{field}" if repeated else inner
            if repeated:
                returns[f"{name}.{field}.add"] = inner
    for module in horovod["modules"]:
        for kind, words in horovod["shared"]["returns"].items():
            returns.update({f"{module}.{word}": kind for word in words.split()})
    for source in (hand, horovod):
        returns.update(kinds_of(names, source["returns"]))
        attributes.update(kinds_of(names, source.get("attributes", {})))
    return {
        "bases": {name: " ".join(above) for name, above in sorted(bases.items())},
        "members": {name: words for name, words in sorted(members.items()) if words},
        "returns": packed_kinds(returns),
        "attributes": packed_kinds(attributes),
        "enters": {names.find(name): kind for name, kind in sorted(hand["enters"].items())},
    }


def kinds_of(names: Names, section: Json) -> dict[str, str]:
    """``{kind: {module: "words"}}`` of a hand-written table as ``{name: kind}``."""
    for kind in section:
        if kind not in OTHER_KINDS and names.find(kind) != kind:
            raise SystemExit(f"{kind}: write this kind as {names.find(kind)}")
    return {
        names.find(f"{module}.{word}"): kind
        for kind, modules in section.items()
        for module, words in modules.items()
        for word in words.split()
    }


def packed_kinds(table: dict[str, str]) -> Json:
    """``{name: kind}`` as ``{kind: {module: "words"}}``."""
    result: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for name, kind in sorted(table.items()):
        module, _, last = name.rpartition(".")
        result[kind][module].append(last)
    return {
        kind: {module: " ".join(words) for module, words in modules.items()}
        for kind, modules in sorted(result.items())
    }


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


def vendor_rows(path: Path) -> dict[str, Json]:
    """API -> verdict, from the vendor's table."""
    source = json.loads(path.read_text(encoding="utf-8"))
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


def packaged_rows() -> tuple[dict[str, Json], dict[str, str]]:
    """API -> verdict and API -> worse spelling, read back from the packaged table."""
    data = json.loads((DATA / "support-tf1.json").read_bytes())
    rows: dict[str, Json] = {}
    for *values, modules in data["rows"]:
        for module, words in modules.items():
            for word in words.split():
                rows[f"{module}.{word}"] = dict(zip(COLUMNS, values))
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


def support_data(names: Names, path: Path | None, words: Json) -> Json:
    """The support table, grouped by verdict."""
    if path is None:
        rows, worse = packaged_rows()
    else:
        rows = vendor_rows(path)
        worse = spelling_conflicts(names, rows)
    for name, worst in worse.items():
        rows[name]["effective"] = rows[worst]["effective"]
        rows[name]["conflict"] = rows[worst]["conflict"] = True
    for name, row in rows.items():
        standing_for = "tf." + name.split(".", 3)[-1]
        if row["vendor"] == "compat" and standing_for in worse:
            row["effective"] = rows[standing_for]["effective"]
    unknown = {row["note"] for row in rows.values()} - set(words["notes"])
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


def build(support: Path | None) -> dict[str, str]:
    """File name -> text of every data file."""
    snapshot = json.loads(gzip.decompress((INPUTS / "introspection-tf1.json.gz").read_bytes()))
    hand = read_toml("types-tf1.toml")
    horovod = read_toml("horovod.toml")
    names = Names(snapshot, hand["kin"])
    words = read_toml("support-words.toml")
    data = {
        "names-tf1": names_data(names),
        "signatures-tf1": signatures_data(names, horovod),
        "types-tf1": types_data(names, hand, horovod),
        "support-tf1": support_data(names, support, words),
        **torch_data(),
    }
    data["frameworks"] = roots(data)
    return {f"{name}.json": compact(table) for name, table in data.items()}


def torch_data() -> dict[str, Json]:
    """The tables of PyTorch."""
    snapshot = json.loads(gzip.decompress((INPUTS / "introspection-torch.json.gz").read_bytes()))
    hand = read_toml("types-torch.toml")
    libraries = read_toml("torch-libraries.toml")
    npu = json.loads((DATA / "torch-npu-api.json").read_bytes())
    names = build_torch.TorchNames(snapshot, hand)
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
    parser.add_argument("--support", type=Path, help="the vendor's support table, catalog-tf1.json")
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
