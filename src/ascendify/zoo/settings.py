"""Configurations as people write them: words such as ``train.steps=10``, JSON and TOML files.

Everything is read by the types of the dataclasses, so a value that is accepted is one that fits.
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

_WORDS = {
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
    "data.augmentation.share": _SHARE,
    "data.augmentation.rotate": _NOT_NEGATIVE,
    "data.augmentation.shear": _NOT_NEGATIVE,
    "data.augmentation.scale": (0, 0.99, "from 0 to 0.99"),
    "data.augmentation.shift": _NOT_NEGATIVE,
    "data.augmentation.brightness": _NOT_NEGATIVE,
    "data.augmentation.contrast": _NOT_NEGATIVE,
    "data.augmentation.blur": _SHARE,
    "data.augmentation.noise": _NOT_NEGATIVE,
    "model.batch_norm_momentum": _SHARE,
    "model.batch_norm_epsilon": _POSITIVE,
    "model.output_deviation": _POSITIVE,
    "model.norm_momentum": _SHARE,
    "loss.smoothing": _SHARE,
    "loss.l2": _NOT_NEGATIVE,
}
"""What numbers mean anything, where a configuration has them: the least, the most, in words."""


class _MismatchError(Exception):
    """A value that is none of the wanted type."""


def override(config: T, words: Iterable[str]) -> T:
    """A configuration with values from the command line, each ``NAME=VALUE``.

    Raises:
        UsageError: a word has no ``=``, names nothing there is, or its value has another type.
    """
    for word in words:
        name, equals, text = word.partition("=")
        if not (equals and name):
            raise UsageError(f"{word} is not NAME=VALUE", "for example train.steps=1000")
        config = _replace_value(config, (), name.split("."), text)
    return check_limits(config)


def merge(config: T, values: Mapping[str, Any], where: str) -> T:
    """A configuration with those values of a file that it has; ``where`` names the file.

    Raises:
        UsageError: a name is not known, or a value has another type.
    """
    merged: T = _merge_group(config, (), values, where)
    return check_limits(merged)


def read(path: Path) -> dict[str, Any]:
    """A JSON or TOML file; that of a run gives its configuration.

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
        raise UsageError(f"{path} is no {kind}: {error}", "mend it, or name another") from error
    if not isinstance(found, dict):
        raise UsageError(
            f"{path} holds {_show(found)}, expected an object", 'such as {"train": {"steps": 10}}'
        )
    return found


def to_dict(config: Any) -> dict[str, Any]:
    """A configuration as JSON has it."""
    return {field.name: _plain(getattr(config, field.name)) for field in dataclasses.fields(config)}


def check_limits(config: T) -> T:
    """The configuration, if its numbers mean anything.

    Raises:
        UsageError: one does not.
    """
    for name, (least, most, told) in _LIMITS.items():
        value: Any = functools.reduce(_field, name.split("."), config)
        if value is not None and not least <= value <= most:
            raise UsageError(f"{name} is {value}", f"it must be {told}")
    return config


def _field(group: Any, name: str) -> Any:
    """A value of a group, None where it has none of that name."""
    return getattr(group, name, None)


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value):
        return to_dict(value)
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return str(value) if isinstance(value, Path) else value


# --- finding the field


def _replace_value(config: Any, above: tuple[str, ...], below: Sequence[str], text: str) -> Any:
    """A dataclass with one value, its own or one of its groups', read from a text."""
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
            raise UsageError(f"{name} is {text}", f"it must be {_expected(hint)}") from None
    return dataclasses.replace(config, **{field: value})


def _merge_group(config: Any, above: tuple[str, ...], values: Mapping[str, Any], where: str) -> Any:
    """A dataclass with the values of an object of a file."""
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
                f"{where}: {name} is {_show(value)}", f"it must be {_expected(hint)}"
            ) from None
    return dataclasses.replace(config, **changes)


def _hint(config: Any, above: tuple[str, ...], field: str, where: str) -> Any:
    """The type of a field."""
    hints = get_type_hints(type(config))
    if field not in hints:
        known = [".".join((*above, each)) for each in hints]
        name = ".".join((*above, field))
        hint = did_you_mean(name, known, f"there are {', '.join(known)}")
        raise UsageError(f"{where}nothing is called {name}", hint)
    return hints[field]


def _is_group(hint: Any) -> bool:
    return isinstance(hint, type) and dataclasses.is_dataclass(hint)


# --- reading values by their types


def _from_text(hint: Any, text: str) -> Any:
    """A value of a type from the command line."""
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
        return _first(_NONE, lambda word: None if word == text.lower() else _refuse())
    if hint is bool:
        return _WORDS[text.lower()] if text.lower() in _WORDS else _refuse()
    try:
        return _finite(hint(text))
    except ValueError:
        return _refuse()


def _from_value(hint: Any, value: Any) -> Any:
    """A value of a type from a file."""
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
    """A value that is no number only if its type has none."""
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


def _expected(hint: Any) -> str:
    """A type in words."""
    origin = get_origin(hint)
    if origin is Union:
        return " or ".join(_expected(each) for each in get_args(hint))
    if origin is Literal:
        return " or ".join(str(each) for each in get_args(hint))
    if origin is tuple:
        return f"values with commas between them, each {_expected(get_args(hint)[0])}"
    if _is_group(hint):
        return "an object"
    words = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}
    return {**words, type(None): "none", Path: "a path"}.get(hint, str(hint))


def _show(value: Any) -> str:
    text = json.dumps(value, default=str)
    return text if len(text) <= 40 else f"{text[:37]}..."
