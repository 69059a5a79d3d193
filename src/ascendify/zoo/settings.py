"""Read settings from arguments such as ``train.steps=10`` and from JSON and TOML files.

Values are parsed by the types of the configuration's dataclasses; any other value is refused.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from ascendify.errors import UsageError, did_you_mean

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

T = TypeVar("T")

_BOOLEANS = {
    "true": True, "yes": True, "on": True, "1": True,
    "false": False, "no": False, "off": False, "0": False,
}  # fmt: skip
_NONE = ("none", "null")
_LEAST, _MOST = sys.float_info.min, sys.float_info.max
_COUNT = (1, _MOST, "1 or more")
_NOT_NEGATIVE = (0, _MOST, "0 or more")
_POSITIVE = (_LEAST, _MOST, "more than 0")
_SHARE = (0, 1, "from 0 to 1")
_SEED = (0, 2**63 - 1, "from 0 to 2**63 - 1")
_LIMITS: Mapping[str, tuple[float, float, str]] = {
    "train.steps": _COUNT,
    "train.batch": _COUNT,
    "train.seed": _SEED,
    "train.evaluate_batch": _COUNT,
    "train.log_every": _COUNT,
    "train.evaluate_every": _NOT_NEGATIVE,
    "train.save_every": _NOT_NEGATIVE,
    "train.keep": _COUNT,
    "train.workers": _NOT_NEGATIVE,
    "train.patience": _COUNT,
    "train.plateau": _COUNT,
    "train.ema": _SHARE,
    "train.optimizer.lr": _NOT_NEGATIVE,
    "train.optimizer.momentum": _SHARE,
    "train.optimizer.weight_decay": _NOT_NEGATIVE,
    "train.optimizer.clip": _POSITIVE,
    "train.optimizer.trust": _POSITIVE,
    "train.schedule.warmup": _NOT_NEGATIVE,
    "train.schedule.end": _NOT_NEGATIVE,
    "train.schedule.power": _NOT_NEGATIVE,
    "train.schedule.decay": _NOT_NEGATIVE,
    "train.loss_scale.value": (_LEAST, 2.0**127, "more than 0, at most 2**127"),
    "train.loss_scale.grow": (1, _MOST, "1 or more"),
    "train.loss_scale.shrink": (_LEAST, 1, "more than 0, at most 1"),
    "train.loss_scale.grow_every": _COUNT,
    "train.loss_scale.shrink_every": _COUNT,
    "data.samples": _COUNT,
    "data.test_samples": _COUNT,
    "data.seed": _SEED,
    "data.side": _COUNT,
    "data.evaluate_side": _COUNT,
    "data.short_side": _COUNT,
    "data.least_area": (_LEAST, 1, "more than 0, at most 1"),
    "data.per_class": _NOT_NEGATIVE,
    "data.synthetic": _NOT_NEGATIVE,
    "data.augmentation.padding": _NOT_NEGATIVE,
    "data.augmentation.cutout": _NOT_NEGATIVE,
    "data.augmentation.mixup": _NOT_NEGATIVE,
    "data.augmentation.share": _SHARE,
    "data.augmentation.rotate": _NOT_NEGATIVE,
    "data.augmentation.shear": _NOT_NEGATIVE,
    "data.augmentation.scale": (0, 0.99, "from 0 to 0.99"),
    "data.augmentation.shift": _NOT_NEGATIVE,
    "data.augmentation.brightness": _NOT_NEGATIVE,
    "data.augmentation.contrast": _NOT_NEGATIVE,
    "data.augmentation.blur": _SHARE,
    "data.augmentation.noise": _NOT_NEGATIVE,
    "model.classes": (2, _MOST, "2 or more"),
    "model.dropout": _SHARE,
    "model.keep": (_LEAST, 1, "more than 0, at most 1"),
    "model.groups": _COUNT,
    "model.channels": _COUNT,
    "model.batch_norm_momentum": _SHARE,
    "model.batch_norm_epsilon": _POSITIVE,
    "model.output_deviation": _POSITIVE,
    "model.norm_momentum": _SHARE,
    "loss.smoothing": _SHARE,
    "loss.l2": _NOT_NEGATIVE,
}
"""Valid range of each number that a configuration may have: least, most, and as text."""


class _MismatchError(Exception):
    """A value that does not have the expected type."""


def override(config: T, arguments: Iterable[str]) -> T:
    """Set values of a configuration from arguments ``NAME=VALUE``.

    Raises:
        UsageError: an argument has no ``=``, an unknown name, or a value of another type.
    """
    for argument in arguments:
        name, equals, text = argument.partition("=")
        if not (equals and name):
            raise UsageError(f"{argument} is not NAME=VALUE", "for example train.steps=1000")
        config = _replace_value(config, (), name.split("."), text)
    return check_limits(config)


def merge(config: T, values: Mapping[str, Any], where: str) -> T:
    """Set values of a configuration from a file; ``where`` names the file in errors.

    Raises:
        UsageError: a name is not known, or a value has another type.
    """
    merged: T = _merge_group(config, (), values, where)
    return check_limits(merged)


def read(path: Path) -> dict[str, Any]:
    """Read a JSON or TOML file.

    Raises:
        UsageError: it cannot be read.
    """
    try:
        text = path.read_text(encoding="utf-8")
        found = tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}", "name a file") from error
    except ValueError as error:
        kind = "TOML" if path.suffix == ".toml" else "JSON"
        raise UsageError(f"{path} is not {kind}: {error}", "fix it, or name another") from error
    if not isinstance(found, dict):
        raise UsageError(
            f"{path} holds {_show(found)}, expected an object", 'such as {"train": {"steps": 10}}'
        )
    return found


def to_dict(config: Any) -> dict[str, Any]:
    """Convert a configuration to JSON types."""
    return {field.name: _plain(getattr(config, field.name)) for field in dataclasses.fields(config)}


def check_limits(config: T) -> T:
    """Return the configuration if its numbers are in their valid ranges.

    Raises:
        UsageError: one is not.
    """
    for name, (least, most, expected) in _LIMITS.items():
        value: Any = functools.reduce(_field, name.split("."), config)
        values = value if isinstance(value, tuple) else (value,)
        if value is not None and not all(least <= each <= most for each in values):
            raise UsageError(f"{name} is {value}", f"it must be {expected}")
    return config


def _field(group: Any, name: str) -> Any:
    """Return a value of a group; None if it has none of that name."""
    return getattr(group, name, None)


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value):
        return to_dict(value)
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return str(value) if isinstance(value, Path) else value


# --- finding the field


def _replace_value(config: Any, above: tuple[str, ...], below: Sequence[str], text: str) -> Any:
    """Return a dataclass with one value, possibly of a nested group, parsed from a text."""
    field, *rest = below
    name = ".".join((*above, field))
    hint = _hint(config, above, field, "")
    if _is_group(hint):
        if not rest:
            one = dataclasses.fields(hint)[0].name
            raise UsageError(f"{name} is a group of values", f"set one of them: {name}.{one}=...")
        value = _replace_value(getattr(config, field), (*above, field), rest, text)
    elif rest:
        raise UsageError(f"{name} has nothing below it", f"set it: {name}={text}")
    else:
        try:
            value = _from_text(hint, text)
        except _MismatchError:
            raise UsageError(f"{name} is {text}", f"it must be {_describe_type(hint)}") from None
    return dataclasses.replace(config, **{field: value})


def _merge_group(config: Any, above: tuple[str, ...], values: Mapping[str, Any], where: str) -> Any:
    """Return a dataclass with the values of a JSON or TOML object."""
    changes = {}
    for field, value in values.items():
        name = ".".join((*above, field))
        hint = _hint(config, above, field, f"{where}: ")
        if _is_group(hint) and isinstance(value, Mapping):
            changes[field] = _merge_group(getattr(config, field), (*above, field), value, where)
            continue
        try:
            changes[field] = _from_value(hint, value)
        except _MismatchError:
            raise UsageError(
                f"{where}: {name} is {_show(value)}", f"it must be {_describe_type(hint)}"
            ) from None
    return dataclasses.replace(config, **changes)


def _hint(config: Any, above: tuple[str, ...], field: str, where: str) -> Any:
    """Return the type of a field."""
    hints = get_type_hints(type(config))
    if field not in hints:
        known = [".".join((*above, each)) for each in hints]
        name = ".".join((*above, field))
        hint = did_you_mean(name, known, f"there are {', '.join(known)}")
        raise UsageError(f"{where}there is no setting {name}", hint)
    return hints[field]


def _is_group(hint: Any) -> bool:
    return isinstance(hint, type) and dataclasses.is_dataclass(hint)


# --- reading values by their types


def _from_text(hint: Any, text: str) -> Any:
    """Parse a value of a type from the command line."""
    origin = get_origin(hint)
    if origin is Union:
        # none first: it is a text as well
        choices = sorted(get_args(hint), key=lambda each: each is not type(None))
        return _first(choices, lambda each: _from_text(each, text))
    if origin is Literal:
        return _first(get_args(hint), lambda each: _same(each, text, str(each)))
    if origin is tuple:
        return tuple(_from_text(get_args(hint)[0], part) for part in text.split(",") if part)
    if hint is type(None):
        return _first(_NONE, lambda name: None if name == text.lower() else _refuse())
    if hint is bool:
        return _BOOLEANS[text.lower()] if text.lower() in _BOOLEANS else _refuse()
    try:
        return _finite(hint(text))
    except ValueError:
        return _refuse()


def _from_value(hint: Any, value: Any) -> Any:
    """Convert a value of a file to a type."""
    origin = get_origin(hint)
    if origin is Union:
        return _first(get_args(hint), lambda each: _from_value(each, value))
    if origin is Literal:
        return _first(get_args(hint), lambda each: _same(each, value, each))
    if origin is tuple and isinstance(value, (list, tuple)):
        return tuple(_from_value(get_args(hint)[0], item) for item in value)
    if hint is float and type(value) is int:
        return float(value)
    if hint is Path and isinstance(value, str):
        return Path(value)
    if isinstance(hint, type) and type(value) is hint:
        return _finite(value)
    return _refuse()


def _finite(value: Any) -> Any:
    """Refuse NaN and infinity."""
    return _refuse() if isinstance(value, float) and not math.isfinite(value) else value


def _first(choices: Iterable[Any], reading: Any) -> Any:
    for choice in choices:
        try:
            return reading(choice)
        except _MismatchError:
            continue
    return _refuse()


def _same(value: Any, found: Any, wanted: Any) -> Any:
    return value if found == wanted and type(found) is type(wanted) else _refuse()


def _refuse() -> Any:
    raise _MismatchError


def _describe_type(hint: Any) -> str:
    """Describe a type for an error message."""
    origin = get_origin(hint)
    if origin is Union:
        return " or ".join(_describe_type(each) for each in get_args(hint))
    if origin is Literal:
        return " or ".join(str(each) for each in get_args(hint))
    if origin is tuple:
        return f"values with commas between them, each {_describe_type(get_args(hint)[0])}"
    if _is_group(hint):
        return "an object"
    names = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}
    return {**names, type(None): "none", Path: "a path"}.get(hint, str(hint))


def _show(value: Any) -> str:
    text = json.dumps(value, default=str)
    return text if len(text) <= 40 else f"{text[:37]}..."
