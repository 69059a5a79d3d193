"""Writes ``npu_options.py``: the one module of a migrated project that holds its NPU options.

The module stands beside the user's entry point and outlives ascendify: it imports nothing of
ours, is valid Python 3.6, and takes overrides from the environment of the launch script.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

from ascendify.catalog import options as catalog
from ascendify.catalog.options import Option, OptionError

FILE_NAME = "npu_options.py"
MODULE_NAME = "npu_options"

_WIDTH = 98


def render(
    options: Mapping[str, object],
    *,
    session_config: bool = True,
    run_config_options: bool = False,
    loss_scale_optimizer: bool = False,
    set_global_options: bool = False,
    tensorflow2: bool = False,
) -> str:
    """The module's text, with these options and the functions that the project calls.

    The options are validated as ``catalog.options.validate`` does; ``loss_scale`` is one of them.
    Under TensorFlow 2, sessions and Estimators take the NPU's classes from npu_device.
    """
    with_options = session_config or run_config_options or set_global_options
    if not (with_options or loss_scale_optimizer):
        raise ValueError("a module without a function is of no use; request at least one")
    chosen, _ = catalog.validate(options)
    scale = chosen.pop(catalog.LOSS_SCALE, None)
    for key in chosen:
        found = catalog.option(key)
        only_global = found.field is None and found.run_config is None
        if only_global and not set_global_options:
            raise OptionError(f"{key} exists for TensorFlow 2 only; leave it out", key=key)
    wanted = {
        "header": True,
        "imports_options": with_options,
        "imports_loss_scale_only": not with_options,
        "imports_session_config": session_config,
        "options": with_options,
        "loss_scale": loss_scale_optimizer,
        "session_config": session_config,
        "set_global_options": set_global_options,
        "run_config_options": run_config_options,
        "loss_scale_optimizer": loss_scale_optimizer,
        "options_functions": with_options,
        "helpers": run_config_options,
        "global_options": set_global_options,
        "table": with_options,
    }
    known = tuple(_known(chosen, set_global_options))
    facts = {
        "ADAPTER": "npu_device.compat.v1" if tensorflow2 else "npu_bridge",
        "WHAT": "any option" if with_options else "the loss scale",
        "EXAMPLE": "NPU_PRECISION_MODE=force_fp32" if with_options else "NPU_LOSS_SCALE=1024",
        "IT": "an option" if with_options else "it",
        "OPTIONS": _options_literal(chosen),
        "LOSS_SCALE": _literal(scale),
        "RUN_CONFIG_ONLY": _tuple_items(one.key for one in known if not one.field),
        "SESSION_ONLY": _wrapped(
            (one.key for one in known if one.run_config_broken or not one.run_config), 4
        ),
        "DYNAMIC": _dynamic(),
        "HELPERS": _helpers(known),
        "GLOBAL_OPTIONS": _wrapped(_global_places(known), 4),
        "TABLE": _table(known),
        "RULES": _rules(known),
    }
    text = "".join(block for name, block in _blocks().items() if wanted[name])
    # In one pass, so that nothing in a user's value is taken for a name of the template.
    return re.sub("@([A-Z_]+)@", lambda name: facts[name[1]], text)


# --- the parts of the text -------------------------------------------------------------------


@cache
def _blocks() -> Mapping[str, str]:
    """The template's parts by name: a line ``#:: name`` begins each."""
    template = Path(__file__).parent / "templates" / f"{FILE_NAME}.txt"
    parts = template.read_text(encoding="utf-8").split("#:: ")[1:]
    return {name: body for name, _, body in (part.partition("\n") for part in parts)}


def _options_literal(chosen: Mapping[str, catalog.Value]) -> str:
    if not chosen:
        return "{}"
    lines = ["{"]
    for key, value in chosen.items():
        lines += _comment(catalog.option(key))
        lines.append(f'    "{key}": {_literal(value)},')
    return "\n".join([*lines, "}"])


def _comment(found: Option) -> list[str]:
    text = found.meaning
    if found.values:
        text += " Allowed: " + ", ".join(str(value) for value in found.values) + "."
    return textwrap.wrap(text, _WIDTH, initial_indent="    # ", subsequent_indent="    # ")


def _literal(value: catalog.Value | None) -> str:
    text = repr(value)
    # Double quotes as in the rest of the module, unless the text would need escapes.
    return f'"{text[1:-1]}"' if text[0] == "'" and '"' not in text and "\\" not in text else text


def _tuple_items(words: Iterable[str]) -> str:
    items = [f'"{word}"' for word in words]
    return ", ".join(items) if len(items) > 1 else f"{items[0]},"


def _global_places(known: Iterable[Option]) -> Iterator[str]:
    """Options that npu_device has, with the attribute where that is called differently."""
    for found in known:
        if found.global_option:
            place = found.global_option
            yield found.key if place == found.key else f"{found.key}={place}"


def _known(chosen: Iterable[str], for_global_options: bool = False) -> Iterator[Option]:
    """The options that the module knows: the requested ones, and all that serve a real run.

    Left out are options nobody sets by hand, those without effect, and the experimental ones,
    which the vendor keeps out of production.
    """
    experimental = ("ExperimentalConfig", "GraphMemoryOptimizeConfig")
    for found in catalog.all_options():
        place = found.field or found.run_config or (for_global_options and found.global_option)
        reachable = found.type != "object" and place
        odd = found.internal or found.no_effect or found.rewrite or found.helper in experimental
        if found.key in chosen or (reachable and not odd):
            yield found


def _table(known: Iterable[Option]) -> str:
    kinds: dict[str, list[str]] = {"bool": [], "int": [], "str": [], "file": [], "directory": []}
    for found in known:
        kind = found.path or {"b": "bool", "i": "int", "s": "str"}[found.type]
        allowed = "" if found.path else _allowed(found)
        kinds[kind].append(f"{found.key}={allowed}" if allowed else found.key)
    return "\n".join(
        f'    "{kind}": r"""\n{_wrapped(words, 8)}""",' for kind, words in kinds.items()
    )


def _allowed(found: Option) -> str:
    if found.values:
        return "|".join(str(value) for value in found.values)
    if found.type == "i":
        high = "" if found.maximum is None else found.maximum
        return "-?[0-9]+" if found.minimum is None else f"{found.minimum}..{high}"
    return found.pattern


def _rules(known: Iterable[Option]) -> str:
    keys = {found.key for found in known}
    lines = []
    for rule in catalog.rules():
        if rule.severity == "error" and rule.when.option in keys:
            verb = "needs" if rule.needs else "excludes"
            head = f'    ("{_word(rule.when)}", "{verb}",'
            others = [_word(condition) for condition in rule.needs or rule.forbids]
            if len(others) == 1:
                lines.append(f'{head} "{others[0]}"),')
            else:
                pieces = [f'     "{other} "' for other in others[:-1]]
                lines += [head, *pieces, f'     "{others[-1]}"),']
    return "\n".join(lines)


def _word(condition: catalog.Condition) -> str:
    """A condition in the syntax of the module; ``None`` is an option that is not given."""
    if not condition.values:
        return condition.option
    values = [str(value) for value in condition.values]
    if catalog.option(condition.option).default in condition.values:
        values.append("None")
    return f"{condition.option}={'|'.join(values)}"


def _helpers(known: Iterable[Option]) -> str:
    """The helper objects; one that another needs comes before it."""
    places = [(found.key, found.run_config) for found in known]
    lines = []
    for helper, place in catalog.run_config_helpers().items():
        words = []
        for key, argument in places:
            owner, _, name = (argument or "").partition(".")
            if owner == helper and name:
                words.append(key if key == name else f"{key}={name}")
        keyword = place.split(".")[-1]
        if words:
            lines.append(f'    ("{helper}", "{keyword}", """\n{_wrapped(words, 8)}"""),')
            places.append((keyword, place))
    return "\n".join(lines)


def _dynamic() -> str:
    lines = []
    for name, value in catalog.dynamic_loss_scale().items():
        power = int(value).bit_length() - 1
        text = f"2 ** {power}" if value == 2**power and power > 1 else repr(value)
        lines.append(f"                {name}={text},")
    return "\n".join(lines)


def _wrapped(words: Iterable[str], indent: int) -> str:
    """Words in lines; a long one breaks after a ``|``, where the module puts it together again."""
    margin = " " * indent
    return textwrap.fill(
        " ".join(word.replace("|", "| ") if len(word) > 80 else word for word in words),
        _WIDTH,
        initial_indent=margin,
        subsequent_indent=margin,
        break_long_words=False,
        break_on_hyphens=False,
    )
