"""The vendor's verdict on an API, and the status to act on."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from ascendify.catalog import names, types
from ascendify.catalog._data import TENSORFLOW, TENSORFLOW2, TORCH, framework, is_package, table

_HOROVOD = ("horovod.tensorflow.keras.", "horovod.tensorflow.", "horovod.keras.")
"""The modules the vendor's table lists under ``hvd``; the longest comes first."""
_LACKING = "950DT"
"""In the place of a parameter: the remark lists types that this product does not support."""
_TYPES = {"fp16": "float16", "bf16": "bfloat16", "fp32": "float32", "fp64": "float64"}
"""The vendor's names of data types and PyTorch's."""


@dataclass(frozen=True)
class Support:
    """The verdict on one API."""

    api: str
    """The name that the verdict is listed under; the package, when the vendor judged only the
    package."""
    vendor: str
    """The vendor's status: supported, tool, tool_train, partial, unsupported, harmless, ..."""
    effective: str
    """The status to act on: without contradictions, and that of the API behind a compat name."""
    note: str
    """Key of the vendor's remark, ``none`` without one; several are joined with ``|``."""
    note_text: str
    """The remark as text, with what is known in addition; empty without a remark."""
    conflict: bool
    """True when the vendor contradicts itself about this API."""
    canonical: str | None
    """For names of ``tf.compat``: the API with that name in ``tf``."""
    doc_listed: bool
    """True when the vendor's documentation lists the API as supported as well."""
    module: str
    """The group the vendor lists it in."""

    @property
    def dtypes(self) -> dict[str, tuple[str, ...]]:
        """Parameter -> data types the vendor verified it with; ``*`` is every parameter."""
        pairs = (key.partition("=")[::2] for key in self.note.split("|") if "=" in key)
        return {name: tuple(words.split(",")) for name, words in pairs if name != _LACKING}

    @property
    def remarks(self) -> tuple[str, ...]:
        """The sentences of the note, except those about data types."""
        known = _framework(self.api)
        keys = [key for key in self.note.split("|") if "=" not in key and key != "none"]
        return () if known is None else tuple(_words(known, key) for key in keys)


@cache
def lookup(api: str) -> Support | None:
    """The verdict on an API under any of its names, None when the vendor does not list it.

    A contrib name that is not listed itself has the verdict of its package, a package around
    PyTorch that of the package, and a method that of the class which declares it. For names of
    compat.v1, ``tf2.compat.v1.X`` asks for the verdict on it in TensorFlow 2.
    """
    known = _framework(api)
    if known is None:
        return None
    rows = _rows(known)
    for name in _SPELLINGS[known](api):
        if name in rows:
            return _support(known, name)
    return None


def listed(*effective: str, of: str = TENSORFLOW) -> list[str]:
    """Every name a framework's table lists with one of these verdicts to act on, in its order."""
    return [
        f"{module}.{word}".lstrip(".")
        for _, verdict, *_, modules in _table(of)["rows"]
        if verdict in effective
        for module, words in modules.items()
        for word in words.split()
    ]


def verdicts(of: str) -> Iterator[Support]:
    """Every verdict of a framework's table, exactly as it is listed."""
    return (_support(of, name) for name in _rows(of))


def release(*apis: str) -> str:
    """The vendor releases that the verdicts on some names were taken from."""
    known = dict.fromkeys(_framework(api) for api in apis)
    return (
        "; ".join(_table(item)["release"] for item in sorted(filter(None, known)))
        or (_table(TENSORFLOW)["release"])
    )


def legend(api: str = "tf") -> dict[str, str]:
    """Each status of the framework that a name belongs to, with one sentence on its meaning."""
    return dict(_table(_framework(api) or TENSORFLOW)["legend"])


def closest(api: str, n: int = 3) -> list[str]:
    """Listed names similar to a misspelt one; those with the same last component come first."""
    name = names.canonical(api)
    rows = _rows(_framework(name) or TENSORFLOW)
    known = [item for item in rows if ".compat." not in item]
    last = name.rpartition(".")[2]
    alike = [item for item in known if item.rpartition(".")[2] == last and item != name]
    alike.sort(key=lambda item: (-difflib.SequenceMatcher(None, item, name).ratio(), item))
    near = difflib.get_close_matches(name, known, n=n + 1, cutoff=0.75)
    return [item for item in dict.fromkeys([*alike, *near]) if item != name][:n]


def _spellings(api: str) -> list[str]:
    """The names an API may be listed under, best first."""
    name = names.canonical(api)
    found = [api, name, names.primary(name)]
    if name.startswith("tf.contrib."):
        parts = name.split(".")
        found += [".".join(parts[:end]) for end in range(len(parts) - 1, 2, -1)]
    for module in _HOROVOD:
        if name.startswith(module):
            found.append("hvd." + name[len(module) :])
            break
    return found


def _tf2_spellings(api: str) -> list[str]:
    """The names an API of TensorFlow 2 may be listed under, best first."""
    name = names.canonical(api)
    return [api, name, types.member(name), *names.aliases(name)]


def _framework(api: str) -> str | None:
    """The framework whose table may list an API.

    TensorFlow 2's lists the names of compat.v1 as well, which are those of TensorFlow 1.
    """
    if api.startswith("tf2."):
        return TENSORFLOW2
    name = names.canonical(api)
    return framework(name) or (TORCH if is_package(name) else None)


def _torch_spellings(api: str) -> list[str]:
    """The names a PyTorch API may be listed under, best first."""
    name = names.canonical(api)
    found = [name, names.primary(name), api]
    member = types.member(name)
    if member != name:
        found += [member]
    owner, _, last = name.rpartition(".")
    found += [f"{alias}.{last}" for alias in names.aliases(owner)] if types.is_class(owner) else []
    found += names.aliases(name)
    if name.startswith("torch.npu."):
        found.append("torch_npu" + name[len("torch") :])
    if not name.startswith(("torch.", "torch_npu.")):
        parts = name.split(".")
        found += [".".join(parts[:end]) for end in range(len(parts) - 1, 0, -1)]
    return found


_SPELLINGS = {TENSORFLOW: _spellings, TENSORFLOW2: _tf2_spellings, TORCH: _torch_spellings}


@cache
def _support(known: str, name: str) -> Support:
    data = _table(known)
    vendor, effective, note, conflict, doc_listed, module = data["rows"][_rows(known)[name]][:-1]
    stands_for = "tf." + name.split(".", 3)[-1] if vendor == "compat" else None
    texts = [_words(known, key) for key in note.split("|")]
    texts.append(data["evidence"].get(name, ""))
    worse = data["worse_spelling"].get(name)
    if worse is not None:
        texts.append(f"The same object is rated {effective} under the name {worse}.")
    if stands_for is not None:
        behind = _support(known, stands_for) if stands_for in _rows(known) else None
        texts = [behind.note_text if behind is not None else ""]
        conflict = behind is not None and behind.conflict
    return Support(
        api=name,
        vendor=vendor,
        effective=effective,
        note=note,
        note_text=" ".join(filter(None, texts)),
        conflict=conflict,
        canonical=stands_for,
        doc_listed=doc_listed,
        module=module,
    )


def _words(known: str, key: str) -> str:
    """A remark in words; one that names data types is put together."""
    parameter, equals, words = key.partition("=")
    if not equals:
        text: str = _table(known)["notes"][key]
        return text
    several = [_TYPES.get(word, word) for word in words.split(",")]
    listed = " and ".join(filter(None, (", ".join(several[:-1]), several[-1])))
    if parameter == _LACKING:
        return f"Not for {listed} on an Ascend 950DT."
    return f"Verified with {listed}" + ("." if parameter == "*" else f" for {parameter}.")


@cache
def _rows(known: str = TENSORFLOW) -> dict[str, int]:
    """API -> index of its group of equal verdicts."""
    return {
        f"{module}.{word}".lstrip("."): index
        for index, (*_, modules) in enumerate(_table(known)["rows"])
        for module, words in modules.items()
        for word in words.split()
    }


def _table(known: str) -> dict[str, Any]:
    return table(f"support-{known}")
