"""The NPU run options: what exists, what a value must look like, which options go together.

The facts live in ``data/npu-options.json``; this module reads them on first use, turns what a
user wrote into typed values, and explains what is wrong with what it cannot turn.
"""

from __future__ import annotations

import dataclasses
import json
import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Union

from ascendify.catalog import _data
from ascendify.errors import closest

Value = Union[bool, int, float, str]

FIELDS = {"b": "a bool", "i": "an int", "s": "bytes"}
"""The typed fields of a ``parameter_map`` entry that options use."""

LOSS_SCALE = "loss_scale"
"""Not an option of the platform: the loss scale of the optimizer, which users set with it."""

_BOOL_WORDS = {
    **dict.fromkeys(("true", "1", "on", "yes"), True),
    **dict.fromkeys(("false", "0", "off", "no"), False),
}


class OptionError(ValueError):
    """An option that does not exist, or a value it cannot have; the message says what can."""

    def __init__(
        self, message: str, *, key: str, value: object = None, expected: str = "", closest: str = ""
    ) -> None:
        super().__init__(message + (f"; did you mean {closest!r}?" if closest else ""))
        self.key = key
        self.value = value
        self.expected = expected
        self.closest = closest


@dataclass(frozen=True)
class Option:
    """One run option in all its spellings."""

    key: str
    """Its name in ``parameter_map``, or in the only form it has."""
    section: str
    meaning: str
    type: str
    """Type of the value: ``b``, ``i`` or ``s``; ``object`` for an object that only code can build.
    """
    field: str | None = None
    """The typed field of ``parameter_map``; None when a session cannot be given this option."""
    run_config: str | None = None
    """The argument of NPURunConfig, or ``Helper.argument`` of an object passed to it."""
    run_config_broken: str = ""
    """Why the NPURunConfig spelling does not work although it exists."""
    global_option: str | None = None
    """The attribute of ``npu_device.global_options()``."""
    default: Value | None = None
    values: tuple[Value, ...] = ()
    minimum: int | None = None
    maximum: int | None = None
    pattern: str = ""
    """A regular expression that the whole value must match."""
    check: str = ""
    """The name of a check that the pattern cannot express."""
    format: str = ""
    """The pattern in words."""
    path: str = ""
    """``file`` or ``directory`` when the value names one that must exist when training starts."""
    products: tuple[str, ...] = ()
    """The only products that have the option; empty for all products."""
    value_products: Mapping[Value, tuple[str, ...]] = dataclasses.field(
        default_factory=dict, hash=False
    )
    """The only products that have this value."""
    product_ranges: Mapping[str, tuple[int, int]] = dataclasses.field(
        default_factory=dict, hash=False
    )
    """Narrower limits of single products."""
    value_notes: Mapping[Value, str] = dataclasses.field(default_factory=dict, hash=False)
    loss_scale_values: tuple[Value, ...] = ()
    """Values that make small gradients vanish unless the loss is scaled."""
    inference_only: bool = False
    deprecated: bool = False
    replacement: str = ""
    rewrite: Mapping[str, Value] = dataclasses.field(default_factory=dict, hash=False)
    """The option to set instead, where that is certain."""
    no_effect: bool = False
    internal: bool = False
    process_wide: bool = False
    """The first session of the process decides, so every session must set the same value."""

    @property
    def expected(self) -> str:
        """A phrase that says what a value must look like."""
        if self.format:
            return self.format
        if self.type == "b":
            return "true or false"
        if self.values:
            return "one of " + ", ".join(str(value) for value in self.values)
        if self.type == "i":
            return "an integer" + _range_words(self.minimum, self.maximum)
        return f"the path of a {self.path}" if self.path else "text"

    @property
    def helper(self) -> str | None:
        """The class that passes the option to NPURunConfig; None if that takes it itself."""
        owner, dot, _ = (self.run_config or "").partition(".")
        return owner if dot else None


@dataclass(frozen=True)
class Condition:
    """Something that is true or false of a set of options."""

    option: str
    values: tuple[Value, ...] = ()
    """Condition: the option has one of these values; if empty, the option is set to anything."""
    other_than: tuple[Value, ...] = ()
    """Condition: the option is set, to a value that is not one of these."""

    def holds(self, options: Mapping[str, Value]) -> bool:
        """Whether it is true; an option that is not set has its default, but is not *set*."""
        if self.values:
            return options.get(self.option, option(self.option).default) in self.values
        return self.option in options and options[self.option] not in self.other_than

    def __str__(self) -> str:
        return f"{self.option}={' or '.join(map(str, self.values))}" if self.values else self.option


@dataclass(frozen=True)
class OptionRule:
    """A requirement of one option on other options."""

    severity: str
    """``error`` when the platform refuses the run, ``warning`` when it only ignores something."""
    when: Condition
    why: str
    needs: tuple[Condition, ...] = ()
    """At least one of these conditions must hold."""
    forbids: tuple[Condition, ...] = ()
    """None of these options may be set."""

    def violation(self, options: Mapping[str, Value]) -> str | None:
        """A sentence on how the requirement is broken; None when it is met or does not apply."""
        if self.when.option not in options or not self.when.holds(options):
            return None
        subject = f"{self.when.option}={options[self.when.option]}"
        if self.needs:
            if any(condition.holds(options) for condition in self.needs):
                return None
            return f"{subject} needs {' or '.join(map(str, self.needs))}: {self.why}"
        for condition in self.forbids:
            if condition.option in options and condition.holds(options):
                rival = f"{condition.option}={options[condition.option]}"
                return f"{subject} cannot go with {rival}: {self.why}"
        return None if self.forbids else f"{subject}: {self.why}"


@dataclass(frozen=True)
class PseudoOption:
    """A name that users may set and that is translated into other options of the platform."""

    key: str
    meaning: str
    expected: str
    expands_to: Mapping[str, Value] = dataclasses.field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class OptionProblem:
    """What is wrong with one ``parameter_map`` entry of a user's program."""

    kind: str
    """``unknown-key`` or ``wrong-field``."""
    message: str
    suggestion: str = ""
    """The key, or the field, to write instead; empty when none is near."""


@dataclass(frozen=True)
class _Table:
    options: Mapping[str, Option]
    rules: tuple[OptionRule, ...]
    pseudo: Mapping[str, PseudoOption]
    products: Mapping[str, str]
    helpers: Mapping[str, str]
    dynamic_loss_scale: Mapping[str, float]
    source: str


# --- what exists -----------------------------------------------------------------------------


def all_options() -> tuple[Option, ...]:
    """Every option, in the order of the documentation."""
    return tuple(_table().options.values())


def option(key: str) -> Option:
    """The option of that name; dashes and case do not count."""
    found = _table().options.get(_canonical(key))
    if found is None:
        raise _unknown(key)
    return found


def rules() -> tuple[OptionRule, ...]:
    """The requirements of options on each other."""
    return _table().rules


def pseudo_options() -> tuple[PseudoOption, ...]:
    """The names that are translated into other options: ``loss_scale`` and ``over_dump``."""
    return tuple(_table().pseudo.values())


def products() -> Mapping[str, str]:
    """Short product name to full product name."""
    return _table().products


def run_config_helpers() -> Mapping[str, str]:
    """Helper class to the argument that takes it, spelled as ``Option.run_config`` is.

    A helper that goes into another one comes before it.
    """
    return _table().helpers


def dynamic_loss_scale() -> Mapping[str, float]:
    """The arguments of ExponentialUpdateLossScaleManager for ``loss_scale=dynamic``."""
    return _table().dynamic_loss_scale


def source() -> str:
    """Where the facts come from."""
    return _table().source


# --- one value -------------------------------------------------------------------------------


def parse(key: str, value: object) -> Value | None:
    """The typed value of an option, a pseudo option included, from text or from a TOML value.

    None means that the option is not set, as with ``loss_scale=none``.
    """
    name = _canonical(key)
    pseudo = _table().pseudo.get(name)
    if name == LOSS_SCALE:
        return _loss_scale(value)
    if pseudo is not None:
        return _boolean(name, value, pseudo.expected)
    found = option(name)
    if found.type == "object":
        raise _wrong(name, value, f"{found.expected}, which only code can build")
    if found.type == "b":
        return _boolean(name, value, found.expected)
    typed = _integer(found, value) if found.type == "i" else _text(found, value)
    if found.values and typed not in found.values:
        near = _closest(str(value), map(str, found.values))
        raise _wrong(name, value, found.expected, near)
    return typed


def _boolean(key: str, value: object, expected: str) -> bool:
    known = _BOOL_WORDS.get(str(value).strip().lower())
    if known is None or isinstance(value, float):
        raise _wrong(key, value, expected)
    return known


def _integer(found: Option, value: object) -> int:
    if found.values == (0, 1) and str(value).strip().lower() in _BOOL_WORDS:
        return int(_BOOL_WORDS[str(value).strip().lower()])
    text = "" if isinstance(value, bool) else str(value).strip()
    if not re.fullmatch(r"[+-]?[0-9]+", text):
        raise _wrong(found.key, value, found.expected)
    number = int(text)
    too_small = found.minimum is not None and number < found.minimum
    too_big = found.maximum is not None and number > found.maximum
    if too_small or too_big:
        raise _wrong(found.key, value, found.expected)
    return number


def _text(found: Option, value: object) -> str:
    if isinstance(value, bool):
        # A TOML file says jit_compile = true where the platform wants the word.
        words = ("true", "1") if value else ("false", "0")
        value = next((word for word in words if word in found.values), None)
    if not isinstance(value, (str, int)) or not str(value).strip():
        raise _wrong(found.key, value, found.expected)
    text = str(value).strip()
    if found.pattern and not re.fullmatch(found.pattern, text, re.ASCII):
        raise _wrong(found.key, value, found.expected)
    if found.check and not _CHECKS[found.check](text):
        raise _wrong(found.key, value, found.expected)
    return text


def _loss_scale(value: object) -> float | str | None:
    word = str(value).strip().lower()
    if word in ("none", "dynamic"):
        return None if word == "none" else word
    pseudo = _table().pseudo[LOSS_SCALE]
    try:
        number = math.nan if isinstance(value, bool) else float(word)
    except ValueError:
        near = _closest(word, ("dynamic", "none"))
        raise _wrong(LOSS_SCALE, value, pseudo.expected, near) from None
    if not 1 <= number < math.inf:
        raise _wrong(LOSS_SCALE, value, pseudo.expected)
    return number


def _ascending_steps(text: str) -> bool:
    ranges = (group.split("-") for group in text.split("|"))
    return all(int(bounds[0]) <= int(bounds[-1]) for bounds in ranges)


def _alphabetical_names(text: str) -> bool:
    names = [part.partition(":")[0] for part in text.split(";")]
    return names == sorted(names)


def _is_json_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


_CHECKS: Mapping[str, Callable[[str], bool]] = {
    "dump-steps": _ascending_steps,
    "input-shape": _alphabetical_names,
    "json-object": _is_json_object,
}


# --- several values --------------------------------------------------------------------------


def validate(
    given: Mapping[str, object], product: str | None = None
) -> tuple[dict[str, Value], tuple[str, ...]]:
    """The given options, typed and by their own names, and warnings about them.

    Pseudo options become what they stand for, except ``loss_scale``, which stays; None drops an
    option. What the platform would refuse is an ``OptionError``, with ``product`` also what that
    product lacks; without it, every limit to some products is a warning.
    """
    if product is not None and product not in products():
        near = _closest(product, products())
        raise OptionError(
            f"unknown product {product!r}; expected one of {', '.join(products())}",
            key="product",
            value=product,
            closest=near,
        )
    options: dict[str, Value] = {}
    warnings: list[str] = []
    for key, value in given.items():
        typed = None if value is None else parse(key, value)
        if typed is not None:
            for name, meant in _meant(_canonical(key), typed, warnings):
                _put(options, name, meant)
    for name, chosen in options.items():
        if name != LOSS_SCALE:
            warnings += _remarks(option(name), chosen, options, product)
    for rule in rules():
        violation = rule.violation(options)
        if violation and rule.severity == "error":
            raise OptionError(violation, key=rule.when.option, value=options[rule.when.option])
        if violation:
            warnings.append(violation)
    return options, tuple(warnings)


def wants_loss_scale(options: Mapping[str, Value]) -> bool:
    """Whether the chosen precision needs a scaled loss to train well."""
    return any(
        key in _table().options and value in option(key).loss_scale_values
        for key, value in options.items()
    )


def _meant(key: str, value: Value, warnings: list[str]) -> list[tuple[str, Value]]:
    """An option as the platform knows it today: pseudo and replaced ones become others."""
    pseudo = _table().pseudo.get(key)
    if pseudo is not None and pseudo.expands_to:
        return list(pseudo.expands_to.items()) if value else []
    rewrite = {} if pseudo else option(key).rewrite
    if rewrite:
        written = ", ".join(f"{name}={new}" for name, new in rewrite.items())
        warnings.append(f"{key} was removed from current releases: {written} is used instead")
        return list(rewrite.items())
    return [(key, value)]


def _put(options: dict[str, Value], key: str, value: Value) -> None:
    if options.setdefault(key, value) != value:
        raise OptionError(
            f"{key} is set twice, to {options[key]} and to {value}; keep one",
            key=key,
            value=value,
        )


def _remarks(
    found: Option, value: Value, options: Mapping[str, Value], product: str | None
) -> list[str]:
    remarks = []
    subject = f"{found.key}={value}"
    missing = unsupported_products(found, value)
    if product in missing:
        raise OptionError(
            f"{subject} is not available on {products()[product]}", key=found.key, value=value
        )
    if missing and product is None:
        names = ", ".join(products()[name] for name in missing)
        remarks.append(f"{subject} is not available on {names}")
    if value in found.value_notes:
        remarks.append(f"{subject} is {found.value_notes[value]}")
    if found.deprecated:
        instead = f"; use {found.replacement}" if found.replacement else ""
        remarks.append(f"{found.key} is deprecated{instead}")
    if found.no_effect:
        remarks.append(f"{found.key} has no effect in current releases")
    if found.internal:
        remarks.append(f"{found.key} is internal to the adapter; leave it out")
    if found.inference_only and options.get("graph_run_mode", 1) != 0:
        remarks.append(f"{found.key} is for inference; it expects graph_run_mode=0")
    if found.field is None and found.run_config is None:
        remarks.append(f"{found.key} exists for TensorFlow 2 only")
    return remarks


def unsupported_products(found: Option, value: Value) -> tuple[str, ...]:
    """The products on which the option cannot have that value; a default is fine everywhere."""
    if value == found.default:
        return ()
    limits = [only for only in (found.products, found.value_products.get(value)) if only]
    return tuple(
        product
        for product in products()
        if any(product not in only for only in limits)
        or not _within(value, found.product_ranges.get(product))
    )


def _within(value: Value, bounds: tuple[int, int] | None) -> bool:
    return bounds is None or isinstance(value, str) or bounds[0] <= value <= bounds[1]


# --- what a program says ---------------------------------------------------------------------


def check_parameter(key: str, field: str) -> OptionProblem | None:
    """What is wrong with ``parameter_map[key].field = ...``; None when the adapter reads it.

    The adapter skips unknown keys and reads the default from a wrong field, both in silence.
    """
    known = {found.key: found for found in all_options() if found.field}
    elsewhere = _table().options.get(key)
    if elsewhere is not None and elsewhere.field is None:
        home = "NPURunConfig" if elsewhere.run_config else "npu_device.global_options()"
        return OptionProblem(
            "unknown-key", f"sessions have no option {key!r}; it belongs to {home}"
        )
    if key not in known:
        near = _closest(key, known)
        hint = f"; did you mean {near!r}?" if near else ""
        return OptionProblem(
            "unknown-key", f"the adapter ignores the unknown option {key!r}{hint}", near
        )
    expected = known[key].field or ""
    if field == expected:
        return None
    return OptionProblem(
        "wrong-field",
        f"the adapter reads {key!r} from .{expected} ({FIELDS[expected]}), "
        f"so what is written to .{field} does not reach it",
        expected,
    )


# --- errors and loading ----------------------------------------------------------------------


def _wrong(key: str, value: object, expected: str, closest: str = "") -> OptionError:
    return OptionError(
        f"{key} cannot be {value!r}; expected {expected}",
        key=key,
        value=value,
        expected=expected,
        closest=closest,
    )


def _unknown(key: str) -> OptionError:
    near = _closest(_canonical(key), _names().values())
    return OptionError(f"unknown NPU option {key!r}", key=key, closest=near)


def _closest(word: str, known: Iterable[str]) -> str:
    return closest(word, known, cutoff=0.7) or ""


def _range_words(minimum: int | None, maximum: int | None) -> str:
    if maximum is not None:
        return f" from {minimum} to {maximum}"
    return "" if minimum is None else f" of at least {minimum}"


def _canonical(key: str) -> str:
    name = key.strip().replace("-", "_")
    return _names().get(name.lower(), name)


@cache
def _names() -> Mapping[str, str]:
    return {name.lower(): name for name in (*_table().options, *_table().pseudo)}


@cache
def _table() -> _Table:
    data = _data.table("npu-options")
    return _Table(
        options={row["key"]: _option(row) for row in data["options"]},
        rules=tuple(_rule(row) for row in data["rules"]),
        pseudo={
            key: PseudoOption(key, row["meaning"], row["format"], row.get("expands_to", {}))
            for key, row in data["pseudo_options"].items()
        },
        products=data["products"],
        helpers=data["run_config_helpers"],
        dynamic_loss_scale=data["dynamic_loss_scale"],
        source="; ".join(data["source"].values()),
    )


def _option(row: dict[str, Any]) -> Option:
    row = {"type": row.get("field"), **row}
    for name in ("values", "products", "loss_scale_values"):
        row[name] = tuple(row.get(name, ()))
    for name in ("value_products", "product_ranges"):
        row[name] = {key: tuple(values) for key, values in row.get(name, {}).items()}
    return Option(**row)


def _rule(row: dict[str, Any]) -> OptionRule:
    conditions = {
        name: tuple(_condition(one) for one in row.get(name, ())) for name in ("needs", "forbids")
    }
    return OptionRule(row["severity"], _condition(row["when"]), row["why"], **conditions)


def _condition(row: dict[str, Any]) -> Condition:
    return Condition(row["option"], tuple(row.get("values", ())), tuple(row.get("other_than", ())))
