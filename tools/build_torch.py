"""Names, signatures, types and verdicts of PyTorch, for ``build_catalog.py``.

Inputs: ``introspection-torch.json.gz`` (written by ``introspect_torch.py``) and the hand-written
tables ``types-torch.toml``, ``torch-libraries.toml`` and ``support-words-torch.toml``.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import Any

Json = dict[str, Any]
Kinds = dict[str, str]

_TENSOR_TYPES = re.compile(r"torch\.(?:cuda\.)?(?:sparse\.)?[A-Z]\w*Tensor")
"""``torch.FloatTensor`` and its like: constructors of tensors that Python sees as plain classes."""
_PLAIN = frozenset({"bool", "int", "float", "complex", "str", "bytes"})
"""Attributes of these kinds keep their name, which rules look for, rather than their kind."""
_REFERENCE = re.compile(r"@(\d+)")


class TorchNames:
    """Which dotted names mean the same object, and which of them is its name."""

    def __init__(self, snapshot: Json, hand: Json) -> None:
        self.objects: list[Json] = snapshot["objects"]
        self.modules: dict[str, dict[str, int]] = snapshot["modules"]
        self._exported = {path: set(names) for path, names in snapshot["exported"].items()}
        self._preferred = {
            f"{module}.{word}"
            for module, words in hand["preferred"].items()
            for word in words.split()
        }
        self._spellings: dict[int, list[str]] = defaultdict(list)
        for module, attributes in self.modules.items():
            for attribute, number in attributes.items():
                self._spellings[number].append(f"{module}.{attribute}")
        self.primary = {
            number: self._best(number, names) for number, names in self._spellings.items()
        }

    def _best(self, number: int, names: list[str]) -> str:
        return min(names, key=lambda name: self._key(number, name))

    def _key(self, number: int, name: str) -> tuple[Any, ...]:
        """The name people know: documented, from above its home, short, exported, its own."""
        module, _, last = name.rpartition(".")
        exported = self._exported.get(module)
        functional = (
            module == "torch.nn.functional"
            and self.objects[number]["kind"] == "function"
            and "torch_function" not in last
        )
        home = self.objects[number].get("home", "") + "."
        return (
            name not in self._preferred,
            "._" in name,
            not functional,
            not home.startswith(module + "."),
            name.count("."),
            exported is not None and last not in exported,
            self.objects[number].get("name", last) != last,
            len(name),
            name,
        )

    def near(self, module: str, number: int) -> str:
        """The canonical name for a path: names of ``torch.cuda`` stay there."""
        if module == "torch.cuda" or module.startswith("torch.cuda."):
            local = [
                name
                for name in self._spellings[number]
                if name.startswith("torch.cuda.") and self._is_own(name)
            ]
            if local:
                return self._best(number, local)
        return self.primary[number]

    def _is_own(self, name: str) -> bool:
        """Whether a module of ``torch.cuda`` offers a name rather than just imports it."""
        module, _, last = name.rpartition(".")
        return module == "torch.cuda" or last in self._exported.get(module, ())

    def kind(self, text: str) -> str | None:
        """A kind of the snapshot with numbers replaced by names; None for one without a name."""
        return _REFERENCE.sub(lambda match: self.primary[int(match[1])], text)

    def check(self, name: str, members: dict[str, str]) -> None:
        """Stop when a hand-written table names something PyTorch does not have."""
        module, _, last = name.rpartition(".")
        if not name.startswith("torch.") or last in self.modules.get(module, {}):
            return
        have = {"__call__", "__getitem__", *members.get(module, "").split()}
        owner = next((item for item, found in self.primary.items() if found == module), None)
        for number in () if owner is None else (owner, *self.objects[owner].get("bases", ())):
            entry = self.objects[number]
            have |= {*entry.get("methods", ()), *entry.get("attributes", ()), "__gt__", "__neg__"}
        if last not in have:
            raise SystemExit(f"{name}: PyTorch has no such name; correct the table")


def torch_names(names: TorchNames, hand: Json, packed: Any) -> Json:
    """Paths to the name of what they reach, and names of ``torch.cuda`` for something general."""
    moved: dict[str, dict[str, str]] = defaultdict(dict)
    same: dict[str, dict[str, str]] = defaultdict(dict)
    for module, attributes in names.modules.items():
        for attribute, number in attributes.items():
            spelled = f"{module}.{attribute}"
            name = names.near(module, number)
            if name != spelled:
                moved[module][attribute] = name
            elif names.primary[number] != spelled:
                same[module][attribute] = names.primary[number]
    for module, targets in hand["moved"].items():
        for target, words in targets.items():
            moved[module].update({word: f"{target}.{word}" for word in words.split()})
    return {"modules": hand["modules"], "moved": packed(moved), "same": packed(same)}


def torch_signatures(
    names: TorchNames, hand: Json, libraries: Json, npu: Json
) -> dict[str, list[str]]:
    """Parameters of functions, constructors and methods."""
    found: dict[str, list[str]] = {}
    for number, name in names.primary.items():
        entry = names.objects[number]
        if entry.get("signature") is not None:
            found[name] = [_default(text, names) for text in entry["signature"]]
        if _TENSOR_TYPES.fullmatch(name):
            found[name] = ["*args", "~device=None"]
            continue
        for method, texts in entry.get("methods", {}).items():
            if texts is not None and not method.startswith("_"):
                found[f"{name}.{method}"] = [_default(text, names) for text in texts]
    for name in _mirrored(npu):
        if (original := found.get(_original(name))) is not None:
            found[name] = [text.replace("torch.cuda", "torch.npu") for text in original]
    for source in (hand["signatures"], libraries["signatures"], npu["signatures"]):
        for name, text in source.items():
            found[name] = _split(text)
    return found


def _mirrored(npu: Json) -> list[str]:
    """Names of ``torch.npu``, which are described by their namesakes of ``torch.cuda``."""
    return [
        f"{module}.{word}"
        for module, words in npu["names"].items()
        if module.startswith("torch.npu")
        for word in words.split()
    ]


def _original(name: str) -> str:
    """``torch.cuda.X`` for ``torch.npu.X``."""
    return {"torch.npu.NPUGraph": "torch.cuda.CUDAGraph"}.get(
        name, name.replace("torch.npu", "torch.cuda", 1)
    )


def _split(text: str) -> list[str]:
    """``"a, b=None, *, c=1"`` as parameter texts."""
    texts: list[str] = []
    keyword = False
    for part in re.split(r",\s*(?![^()\[\]]*[)\]])", text) if text else []:
        if part == "*":
            keyword = True
        else:
            texts.append("~" + part if keyword and not part.startswith("*") else part)
    return texts


def _default(text: str, names: TorchNames) -> str:
    """A parameter text with references to objects replaced by their names."""
    return _REFERENCE.sub(lambda match: names.primary[int(match[1])], text)


def torch_types(
    names: TorchNames, hand: Json, libraries: Json, npu: Json, packed_kinds: Any
) -> Json:
    """Class hierarchy, members of classes, and what calls, attributes and ``with`` give."""
    bases: dict[str, str] = {}
    members: dict[str, set[str]] = {}
    returns: Kinds = {}
    attributes: Kinds = {}
    enters: Kinds = {}
    for number, name in names.primary.items():
        entry = names.objects[number]
        if entry["kind"] == "value":
            if entry["type"].startswith("@"):
                attributes[name] = names.kind(entry["type"]) or ""
            continue
        if entry.get("returns"):
            returns[name] = names.kind(entry["returns"]) or ""
        if entry["kind"] != "class":
            continue
        if _TENSOR_TYPES.fullmatch(name):
            bases[name] = "torch.Tensor"
            continue
        bases[name] = " ".join(names.primary[base] for base in entry["bases"])
        own = {*entry["methods"], *entry["attributes"]}
        members[name] = {item for item in own if not item.startswith("_")}
        for method, kind in entry["results"].items():
            returns[f"{name}.{method}"] = names.kind(kind) or ""
        for attribute, kind in entry["kinds"].items():
            attributes[f"{name}.{attribute}"] = names.kind(kind) or ""
        entered = entry["results"].get("__enter__")
        if entered is not None:
            enters[name] = name if entered == "Self" else names.kind(entered) or ""
    for source in (hand, libraries):
        bases.update({name: " ".join(above) for name, above in source["bases"].items()})
        for name, words in source.get("members", {}).items():
            members.setdefault(name, set()).update(words.split())
        returns.update(_checked(_kinds_of(source["returns"]), names, hand))
        attributes.update(_checked(_kinds_of(source.get("attributes", {})), names, hand))
        enters.update(source.get("enters", {}))
    for name, kind in names_of_tuples(names).items():
        attributes[name] = kind
        returns[name.rpartition(".")[0] + ".__getitem__"] = kind
    attributes = {name: kind for name, kind in attributes.items() if kind not in _PLAIN}
    _mirror_types(npu, bases, members, (returns, attributes, enters))
    return {
        "bases": dict(sorted(bases.items())),
        "members": {name: " ".join(sorted(words)) for name, words in sorted(members.items())},
        "returns": packed_kinds(returns),
        "attributes": packed_kinds(attributes),
        "enters": dict(sorted(enters.items())),
    }


def _mirror_types(
    npu: Json, bases: Kinds, members: dict[str, set[str]], tables: tuple[Kinds, ...]
) -> None:
    """Give the names of ``torch.npu`` what is known of their namesakes of ``torch.cuda``."""
    for name in _mirrored(npu):
        original = _original(name)
        if original in bases:
            bases[name] = bases[original].replace("torch.cuda", "torch.npu")
            members[name] = {word.replace("cuda_", "npu_") for word in members.get(original, ())}
        for table in tables:
            for known, kind in list(table.items()):
                if known == original or (
                    original in bases and known.rpartition(".")[0] == original
                ):
                    moved = name + known[len(original) :]
                    table.setdefault(moved, kind.replace("torch.cuda", "torch.npu"))
    bases.update(npu["bases"])
    for name, words in npu["members"].items():
        members.setdefault(name, set()).update(words.split())


def torch_support(packaged: Json, words: Json) -> Json:
    """The support table: its verdicts as they are packaged, with the words of today."""
    used = {key for row in packaged["rows"] for key in row[2].split("|") if "=" not in key}
    unknown = used - set(words["notes"])
    if unknown:
        raise SystemExit(f"support-words-torch.toml has no words for the notes {sorted(unknown)}")
    statuses = {status for row in packaged["rows"] for status in row[:2]}
    if statuses - set(words["legend"]):
        raise SystemExit(f"support-words-torch.toml lacks one of {sorted(statuses)}")
    return {
        "release": words["release"],
        "legend": words["legend"],
        "notes": {key: text for key, text in words["notes"].items() if key in used or not text},
        "evidence": {},
        "worse_spelling": {},
        "rows": packaged["rows"],
    }


def names_of_tuples(names: TorchNames) -> Kinds:
    """Fields of the named tuples that functions return: tensors all."""
    return {
        f"{name}.{field}": "torch.Tensor"
        for number, name in names.primary.items()
        if name.startswith("torch.return_types.")
        for field in names.objects[number].get("attributes", ())
        if not field.startswith("n_")
    }


def _checked(kinds: Kinds, names: TorchNames, hand: Json) -> Kinds:
    """The kinds of a hand-written table, when PyTorch has every name in it."""
    for name in kinds:
        names.check(name, hand["members"])
    return kinds


def _kinds_of(section: Json) -> Kinds:
    """``{kind: {module: "words"}}`` of a hand-written table as ``{name: kind}``."""
    found: Kinds = {}
    for kind, modules in section.items():
        for module, words in modules.items():
            for word in words.split():
                found[f"{module}.{word}"] = kind
    return found
