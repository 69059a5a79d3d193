"""Names, signatures and kinds of a TensorFlow's API as packaged tables, from its snapshot.

What both releases share; ``build_catalog.py`` has the rest for TensorFlow 1.15 and
``build_tf2.py`` that for TensorFlow 2.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]

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


def same(name: str) -> str:
    """Give a name back."""
    return name


@dataclass(frozen=True)
class Api:
    """How the names of one release are told apart and which of several is chosen."""

    root: str
    """The first part of every name."""
    release: str
    """The release in words, for messages."""
    spelled: Callable[[str], str]
    """The path of a module as it is packaged."""
    groups: tuple[str, ...] = ()
    """Beginnings of modules whose names are chosen only for what has no other, best first."""
    reexporting: tuple[str, ...] = ()
    """Beginnings of modules that only repeat what is elsewhere."""
    preferred: frozenset[str] = frozenset()
    """Names that people use although a shorter one exists."""
    instance_attributes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Attributes that constructors set, which a look at the class does not show."""
    generic_bases: frozenset[str] = frozenset()
    """Bases of nearly everything; they say nothing about what an object is."""
    renamed: Callable[[str], str] = same
    """The name to use for a chosen one."""


class Names:
    """Which dotted names mean the same object, and which of them is its name."""

    def __init__(self, snapshot: Json, kin: dict[str, str], api: Api) -> None:
        self.kin = kin
        self.api = api
        self.objects: list[Json] = snapshot["objects"]
        self.public: dict[str, dict[str, int]] = snapshot["public"]
        self.private: dict[str, dict[str, int]] = {}
        for path, table in sorted(snapshot["private"].items()):
            spelled = api.spelled(path)
            self.private[spelled] = {**table, **self.private.get(spelled, {})}
        self.spellings: dict[str, dict[int, list[str]]] = {
            group: defaultdict(list) for group in ("", *api.groups)
        }
        """Group of modules -> number of an object -> its names there; ``""`` is the API proper."""
        for module, table in self.public.items():
            group = next((start for start in api.groups if module.startswith(start)), "")
            for attribute, number in table.items():
                self.spellings[group][number].append(f"{module}.{attribute}")
        self.primary: dict[int, str] = {}
        for found in self.spellings.values():
            for number, names in found.items():
                self.primary.setdefault(number, api.renamed(self.best(number, names)))
        self._name_messages()

    @property
    def core(self) -> dict[int, list[str]]:
        """Number of an object -> its names in the API proper."""
        return self.spellings[""]

    def best(self, number: int, names: list[str]) -> str:
        """The name people know: not of a module that re-exports; short; as a class calls itself."""
        own = self.objects[number].get("name")

        def key(name: str) -> tuple[bool, bool, int, bool, int, str]:
            module, _, last = name.rpartition(".")
            return (
                name not in self.api.preferred,
                module.startswith(self.api.reexporting),
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
                module = f"{self.api.spelled(entry['path'])}.{outer}"
                start = public.get((entry["path"], outer), module)
                self.primary[number] = ".".join([start, *inner])

    def of(self, number: int) -> str | None:
        """The one name of an object."""
        return self.primary.get(number)

    def find(self, name: str) -> str:
        """The primary form of a name in a hand-written table; an error when TF has no such name."""
        root = self.api.root
        if not name.startswith(f"{root}.") or name.startswith(f"{root}.python."):
            return name
        number = self._number(name)
        if number is not None:
            return self.primary[number]
        owner, _, member = name.rpartition(".")
        number = self._number(owner)
        if number is None or not (member.startswith("__") or member in self._all_members(number)):
            raise SystemExit(f"{name}: {self.api.release} has no such name; correct the table")
        return f"{self.primary[number]}.{member}"

    def _all_members(self, number: int) -> set[str]:
        """Names of what a class and its public bases have."""
        chain = [number, *self.objects[number].get("bases", ())]
        return {
            *(name for inner in chain for name in self.methods(inner)),
            *(name for inner in chain for name in self.attributes(inner)),
            *self.api.instance_attributes.get(self.primary[number], ()),
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


def literal(text: str, names: Names) -> str:
    """A parameter text with references to objects replaced by their names."""
    name, sign, default = text.partition("=@")
    if not sign:
        return text
    known = names.of(int(default))
    return f"{name}={known or '...'}"


def own_signatures(names: Names) -> dict[str, list[str]]:
    """Parameters of functions, constructors and methods of the release itself."""
    found: dict[str, list[str]] = {}
    for number, entry in enumerate(names.objects):
        name = names.of(number)
        if name is None or not is_packaged(name, names.api.root):
            continue
        if entry.get("signature") is not None:
            found[name] = [literal(text, names) for text in entry["signature"]]
        elif entry["kind"] == "class":
            found[name] = []
        for method, texts in names.methods(number).items():
            if not method.startswith("_"):
                found[f"{name}.{method}"] = [literal(text, names) for text in texts]
    return found


def is_packaged(name: str, root: str) -> bool:
    """Whether signatures of a name are packaged: scripts hardly ever call raw operators."""
    of_release = root != "tf2" or name.startswith("tf2.")
    return of_release and not name.startswith(f"{root}.raw_ops.")


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


def own_bases(names: Names) -> dict[str, list[str]]:
    """Class -> public bases, nearest first, with the relations that rules need."""
    bases: dict[str, list[str]] = {}
    for number, entry in enumerate(names.objects):
        name = names.of(number)
        if name is not None and entry["kind"] == "class":
            above = [names.primary[base] for base in entry["bases"]]
            bases[name] = [base for base in above if base not in names.api.generic_bases]
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
    return bases


def own_types(names: Names, bases: dict[str, list[str]]) -> Types:
    """Members of classes, and the kinds that fields of protocol buffers have."""
    found = Types(bases)
    for number, entry in enumerate(names.objects):
        name = names.of(number)
        if name is None or name not in bases:
            continue
        own = {*names.methods(number), *names.attributes(number)}
        found.members[name] = " ".join(sorted(item for item in own if not item.startswith("_")))
        for attribute, (target, repeated) in entry.get("fields", {}).items():
            inner = names.primary[target]
            found.attributes[f"{name}.{attribute}"] = f"{name}.{attribute}" if repeated else inner
            if repeated:
                found.returns[f"{name}.{attribute}.add"] = inner
    return found


@dataclass(frozen=True)
class Types:
    """Class hierarchy, members of classes, and what calls, attributes and ``with`` give."""

    bases: dict[str, list[str]]
    members: dict[str, str] = field(default_factory=dict)
    returns: dict[str, str] = field(default_factory=dict)
    attributes: dict[str, str] = field(default_factory=dict)
    enters: dict[str, str] = field(default_factory=dict)

    def packed(self) -> Json:
        """The table of types."""
        return {
            "bases": {name: " ".join(above) for name, above in sorted(self.bases.items())},
            "members": {name: words for name, words in sorted(self.members.items()) if words},
            "returns": packed_kinds(self.returns),
            "attributes": packed_kinds(self.attributes),
            "enters": dict(sorted(self.enters.items())),
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
