"""The tables of TensorFlow 2, for ``build_catalog.py``.

Inputs: ``introspection-tf2.json.gz`` and ``introspection-tf2.6.json.gz`` (``introspect_tf2.py``),
``types-tf2.toml`` and ``support-words-tf2.toml``. Names start with ``tf2.``; an object that only
``compat.v1`` has is a name of TensorFlow 1 and starts with ``tf.``.
"""

from __future__ import annotations

from tensorflow_tables import (
    Api,
    Json,
    Names,
    kinds_of,
    own_bases,
    own_signatures,
    own_types,
    packed,
    packed_signatures,
)

MODULES = {
    "tf2.compat.v2": "tf2",
    "tf2._api.v2": "tf2",
    "tf2.python.keras.api._v2.keras": "tf2.keras",
    "tf2.python.keras.api.keras": "tf2.keras",
    "tf2.python.keras.src": "tf2.python.keras",
    "tf2.optimizers": "tf2.keras.optimizers",
    "tf2.losses": "tf2.keras.losses",
    "tf2.metrics": "tf2.keras.metrics",
    "tf2.initializers": "tf2.keras.initializers",
}
"""Modules that are another module under a second path."""
V1 = "tf2.compat.v1"


def spelled(path: str) -> str:
    """The path of a private module as it is packaged.

    Keras is a package of its own since TensorFlow 2.6; before it was ``tensorflow.python.keras``.
    """
    root, dot, rest = path.partition(".")
    if root == "keras":
        inner = rest.partition("src.")[2] if rest.startswith("src.") else rest
        return f"tf2.python.keras{dot}{inner}"
    return f"tf2{dot}{rest}" if root == "tensorflow" else path


def merged(newer: Json, older: Json) -> Json:
    """One snapshot of both: the newer one, and what only the older one has."""
    objects: list[Json] = list(newer["objects"])
    public = {module: dict(table) for module, table in newer["public"].items()}
    private = {module: dict(table) for module, table in newer["private"].items()}
    places: dict[int, int] = {}
    for module, table in older["public"].items():
        for attribute, number in table.items():
            if attribute in public.get(module, {}):
                places.setdefault(number, public[module][attribute])
    for number, entry in enumerate(older["objects"]):
        if number not in places:
            places[number] = len(objects)
            objects.append(entry)
    for number, place in places.items():
        before = _renumbered(older["objects"][number], places)
        is_new = place >= len(newer["objects"])
        objects[place] = before if is_new else _completed(objects[place], before)
    for tables, found in ((public, older["public"]), (private, older["private"])):
        for module, table in found.items():
            known = tables.setdefault(module, {})
            for attribute, number in table.items():
                known.setdefault(attribute, places[number])
    return {"objects": objects, "public": public, "private": private}


def _completed(entry: Json, before: Json) -> Json:
    """A class of the newer release with the members that it had, and with a signature."""
    if entry["kind"] != "class" or before["kind"] != "class":
        return entry
    found = dict(entry)
    found["signature"] = entry.get("signature") or before.get("signature")
    found["methods"] = {**before.get("methods", {}), **entry.get("methods", {})}
    attributes = {*before.get("attributes", ()), *entry.get("attributes", ())}
    found["attributes"] = sorted(attributes - found["methods"].keys())
    return found


def _renumbered(entry: Json, places: dict[int, int]) -> Json:
    """What is known of an object, with other numbers for the objects it mentions."""

    def text(parameter: str) -> str:
        name, sign, number = parameter.partition("=@")
        return f"{name}=@{places[int(number)]}" if sign else parameter

    found = dict(entry)
    if entry.get("signature") is not None:
        found["signature"] = [text(item) for item in entry["signature"]]
    if "bases" in entry:
        found["bases"] = [places[base] for base in entry["bases"]]
    if "fields" in entry:
        found["fields"] = {
            name: [places[target], repeated] for name, (target, repeated) in entry["fields"].items()
        }
    if "methods" in entry:
        found["methods"] = {
            name: [text(item) for item in texts] for name, texts in entry["methods"].items()
        }
    return found


def names_of(newer: Json, older: Json, kin: dict[str, str], tf1: Names) -> Names:
    """The names of both releases together."""

    def renamed(name: str) -> str:
        """The name of TensorFlow 1 for one of compat.v1."""
        if not name.startswith(f"{V1}."):
            return name
        old = "tf" + name[len(V1) :]
        module, _, attribute = old.rpartition(".")
        number = tf1.public.get(module, {}).get(attribute)
        return old if number is None else tf1.primary[number]

    api = Api(
        root="tf2",
        release="TensorFlow 2.15 and 2.6",
        spelled=spelled,
        groups=(V1,),
        reexporting=(
            "tf2.optimizers",
            "tf2.losses",
            "tf2.metrics",
            "tf2.initializers",
            "tf2.experimental.numpy",
        ),
        preferred=frozenset({"tf2.float16", "tf2.float64"}),
        instance_attributes={
            "tf2.keras.Model": ("inputs", "optimizer", "outputs", "stop_training")
        },
        renamed=renamed,
    )
    return Names(merged(newer, older), kin, api)


def names_data(names: Names, newer: Json, older: Json) -> Json:
    """Paths to the name of what they reach, and the names that only one release has."""
    moved: dict[str, dict[str, str]] = {}
    for tables in (names.public, names.private):
        for module, table in tables.items():
            if module == V1 or module.startswith(f"{V1}."):
                continue  # these are names of TensorFlow 1, which has a table of its own
            for attribute, number in table.items():
                name = names.primary[number]
                if name != f"{module}.{attribute}":
                    moved.setdefault(module, {}).setdefault(attribute, name)
    return {
        "modules": MODULES,
        "moved": packed(moved),
        "same": {},
        "lacking": {"2.6": _only(names, newer, older), "2.15": _only(names, older, newer)},
    }


def _only(names: Names, having: Json, lacking: Json) -> Json:
    """Module -> names of TensorFlow 2 under which one release has an object and the other none."""
    there = {
        names.primary[names.public[module][attribute]]
        for module, table in lacking["public"].items()
        for attribute in table
    }
    found: dict[str, set[str]] = {}
    for module, table in having["public"].items():
        for attribute in table:
            name = names.primary[names.public[module][attribute]]
            if name.startswith("tf2.") and name not in there:
                owner, _, last = name.rpartition(".")
                found.setdefault(owner, set()).add(last)
    return {module: " ".join(sorted(words)) for module, words in sorted(found.items())}


CONSTANTS = {"tf1": ("AUTO_REUSE", "VERSION"), "tf2": ("data.AUTOTUNE",)}
"""Names of plain values that one release lacks; snapshots have none of them."""
EARLY = ("experimental", "multi_gpu_model")
"""Parts of names that TensorFlow 2.0 to 2.5 still had, so they do not tell the releases apart."""


def releases_data(names: Names, tf1: Names) -> Json:
    """Names below ``tensorflow`` that only one release has, to tell programs for them apart.

    ``{"tf1": {"": "Session", "train": "AdamOptimizer"}}``; of a module that the other release
    lacks only the module is listed.
    """
    first = _paths(tf1, ("tf.compat",))
    second = _paths(names, ("tf2.compat",))
    telling = {path for path in first if not set(EARLY) & set(path.split("."))}
    return {
        "tf1": _apart(telling, second, CONSTANTS["tf1"]),
        "tf2": _apart(second, first, CONSTANTS["tf2"]),
    }


def _paths(names: Names, left_out: tuple[str, ...]) -> set[str]:
    """Names and modules of a release, without the first part."""
    found: set[str] = set()
    for module, table in names.public.items():
        if not module.startswith(left_out):
            parts = module.split(".")[1:]
            found.update(".".join(parts[:end]) for end in range(1, len(parts) + 1))
            found.update(".".join([*parts, attribute]) for attribute in table)
    return found


def _apart(having: set[str], lacking: set[str], constants: tuple[str, ...]) -> Json:
    found: dict[str, set[str]] = {}
    for path in sorted((*having, *constants)):
        parts = path.split(".")
        starts = (".".join(parts[:end]) for end in range(1, len(parts) + 1))
        first = next((start for start in starts if start not in lacking), None)
        if first is not None and not first.startswith("raw_ops."):
            module, _, last = first.rpartition(".")
            found.setdefault(module, set()).add(last)
    return {module: " ".join(sorted(words)) for module, words in sorted(found.items())}


def signatures_data(names: Names) -> Json:
    """Signatures of functions, constructors and methods; those of 2.15 where both have one."""
    return packed_signatures(own_signatures(names))


def types_data(names: Names, hand: Json, tf1: Names, tf1_hand: Json) -> Json:
    """The table of types: what TensorFlow 1 says of the same names, and what is written by hand."""
    every = own_bases(names)
    bases = {
        name: [base for base in above if base.startswith("tf2.")]
        for name, above in every.items()
        if name.startswith("tf2.")
    }
    types = own_types(names, bases)
    for section, found in (("returns", types.returns), ("attributes", types.attributes)):
        found.update(_inherited(names, tf1, kinds_of(tf1, tf1_hand[section]), hand["changed"]))
        found.update(kinds_of(names, hand[section]))
    enters = {tf1.find(name): kind for name, kind in tf1_hand["enters"].items()}
    types.enters.update(_inherited(names, tf1, enters, hand["changed"]))
    types.enters.update({names.find(name): kind for name, kind in hand["enters"].items()})
    return types.packed()


def _inherited(
    names: Names, tf1: Names, kinds: dict[str, str], changed: dict[str, str]
) -> dict[str, str]:
    """What TensorFlow 1 says of names that mean the same in TensorFlow 2."""
    others = {f"{module}.{word}" for module, words in changed.items() for word in words.split()}
    found: dict[str, str] = {}
    for name, kind in kinds.items():
        target = _counterpart(names, kind)
        if target is None:
            continue
        for spelling in _tf1_spellings(tf1, name):
            own = _found(names, "tf2" + spelling[len("tf") :])
            if own is not None and own not in others:
                found[own] = target
    return found


def _tf1_spellings(tf1: Names, name: str) -> list[str]:
    """All names of TensorFlow 1 for one of its functions, classes or members."""
    module, _, last = name.rpartition(".")
    if module in tf1.public:
        number = tf1.public[module].get(last)
        return [name] if number is None else tf1.core.get(number, [name])
    owner, _, cls = module.rpartition(".")
    number = tf1.public.get(owner, {}).get(cls)
    classes = [module] if number is None else tf1.core.get(number, [module])
    return [f"{item}.{last}" for item in classes]


def _counterpart(names: Names, kind: str) -> str | None:
    """The kind of TensorFlow 2 for one of TensorFlow 1, None where it has none."""
    return _found(names, "tf2" + kind[len("tf") :]) if kind.startswith("tf.") else kind


def _found(names: Names, name: str) -> str | None:
    """The chosen name for one of TensorFlow 2, None where it has no such name."""
    try:
        found = names.find(name)
    except SystemExit:
        return None
    return found if found.startswith("tf2.") else None


def vendor_rows(source: Json) -> dict[str, Json]:
    """API -> verdict, from the vendor's table; its two remarks on evidence become notes."""
    rows: dict[str, Json] = {}
    for entry in source["apis"]:
        said = entry.get("evidence", "")
        note = entry["note"]
        if said:
            note += "|graph_route" if "compat.v1)" in said else "|listed_in_v1"
        rows["tf2" + entry["api"].partition("(")[0][len("tf") :]] = {
            "vendor": entry["status"],
            "effective": entry["effective"],
            "note": note,
            "conflict": entry.get("conflict", False),
            "doc_listed": entry.get("doc_listed", False),
            "module": "tf2" + entry["module"][len("tf") :],
        }
    return rows
