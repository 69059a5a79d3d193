"""Environment variables of a training: which values they take, and which go together.

The facts are in ``data/variables.json``. A range may differ between hardware; where the hardware is
not known, what is wrong on some of it only is a warning that names where.
"""

from __future__ import annotations

import ipaddress
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Callable

from ascendify.catalog import gpu_variables
from ascendify.catalog.gpu_variables import DEVICES, SETTING
from ascendify.cluster import topology
from ascendify.cluster._data import table
from ascendify.cluster.problem import ERROR, WARNING, ClusterProblem, format_value

Spec = Mapping[str, Any]
"""An entry of the table: a variable, or a rule between several."""

_LARGEST_PORT = 65535


def check(environment: Mapping[str, str], hardware: str | None = None) -> list[ClusterProblem]:
    """What is wrong with an environment; the path of a problem is the variable.

    Raises:
        UsageError: no hardware has this name.
    """
    places = [topology.find(hardware).name] if hardware else list(topology.HARDWARE)
    return [
        *_values(environment, places),
        *(problem for rule in _rules() for problem in _BETWEEN[rule["kind"]](environment, rule)),
        *_gpu_only(environment),
    ]


def specs() -> tuple[Spec, ...]:
    """Every variable of the table, in the order of the documentation."""
    return tuple(table("variables")["variables"])


def describe_values(spec: Spec) -> str:
    """Describe the values that a variable accepts."""
    return _KINDS[spec["kind"]][1](spec)


def ports(text: str) -> list[range] | None:
    """``auto`` as no range, ``60000,60050-60100`` as two; None when it is not of that form."""
    if text == "auto":
        return []
    if not re.fullmatch(r"\d{1,5}(?:-\d{1,5})?(?:,\d{1,5}(?:-\d{1,5})?)*", text):
        return None
    ends = [[int(end) for end in part.split("-")] for part in text.split(",")]
    found = sorted((range(pair[0], pair[-1] + 1) for pair in ends), key=lambda each: each.start)
    overlap = any(one.stop > other.start for one, other in zip(found, found[1:]))
    inside = all(each and each[0] > 0 and each[-1] <= _LARGEST_PORT for each in found)
    return found if inside and not overlap else None


def devices(text: str) -> list[int] | None:
    """``0,1,2`` as numbers; None when they are none, or do not ascend."""
    if not re.fullmatch(r"\d{1,4}(?:,\d{1,4})*", text):
        return None
    numbers = [int(word) for word in text.split(",")]
    return numbers if numbers == sorted(set(numbers)) else None


def _values(environment: Mapping[str, str], places: Sequence[str]) -> Iterator[ClusterProblem]:
    for spec in specs():
        value = environment.get(spec["name"], "").strip()
        if spec["name"] not in environment or not (value or "empty" in spec):
            continue
        readers = [place for place in places if place in spec.get("hardware", places)]
        if not readers:
            yield _problem(spec, value, f"is not read on {places[0]}", "unset it", WARNING)
            continue
        where: dict[ClusterProblem, list[str]] = {}
        for place in readers:
            for problem in _of_value({**spec, **spec.get("on", {}).get(place, {})}, value):
                where.setdefault(problem, []).append(place)
        for problem, found in where.items():
            yield problem if found == readers else _only_on(found, problem)


def _only_on(places: Sequence[str], problem: ClusterProblem) -> ClusterProblem:
    rule = f"on {' and '.join(places)} it {problem.rule}"
    return replace(problem, rule=rule, severity=WARNING)


def _of_value(spec: Spec, value: str) -> Iterator[ClusterProblem]:
    if not value:
        yield _problem(spec, value, f"{spec['empty']} where it is set to nothing", "unset it")
    elif not _KINDS[spec["kind"]][0](value, spec):
        severity = spec.get("severity", ERROR)
        yield _problem(spec, value, f"must be {describe_values(spec)}", _advice(spec), severity)
    elif "multiple" in spec and int(value) % spec["multiple"]:
        step = spec["multiple"]
        used = max(int(value) // step * step, step)
        rule = f"counts in multiples of {step}"
        yield _problem(spec, value, rule, f"{used} is what is used", WARNING)
    if "now" in spec:
        rule = f"is the old name of {spec['now']}"
        yield _problem(spec, value, rule, f"set {spec['now']}", WARNING)


def _advice(spec: Spec) -> str:
    if spec["default"] is not None:
        return f"correct it, or unset it: then it is {spec['default']}"
    example = spec.get("example")
    return (
        f"for example export {spec['name']}='{example}'" if example else "correct it, or unset it"
    )


def _problem(
    spec: Spec, value: str, rule: str, advice: str, severity: str = ERROR
) -> ClusterProblem:
    return ClusterProblem(spec["name"], format_value(value), rule, severity, advice)


def _is_integer(value: str, spec: Spec) -> bool:
    if not re.fullmatch(r"-?\d{1,19}", value):
        return False
    return bool(spec["least"] <= int(value) <= spec["most"])


def _integers(spec: Spec) -> str:
    unit = f" {spec['unit']}" if "unit" in spec else ""
    return f"a whole number from {spec['least']} to {spec['most']}{unit}"


def _is_number(value: str, _: Spec) -> bool:
    try:
        float(value)
    except ValueError:
        return False
    return True


def _is_address(value: str, _: Spec) -> bool:
    try:
        ipaddress.ip_address(value)
    except ValueError:
        return False
    return True


def _is_object(value: str, _: Spec) -> bool:
    try:
        return isinstance(json.loads(value), dict)
    except (ValueError, RecursionError):
        return False


def _matches(value: str, spec: Spec) -> bool:
    return re.fullmatch(spec["pattern"], value) is not None


def _as_described(spec: Spec) -> str:
    return str(spec["expected"])


_KINDS: dict[str, tuple[Callable[[str, Spec], bool], Callable[[Spec], str]]] = {
    "integer": (_is_integer, _integers),
    "number": (_is_number, lambda _: "a number"),
    "choice": (
        lambda value, spec: value in spec["values"],
        lambda spec: " or ".join(spec["values"]),
    ),
    "pattern": (_matches, _as_described),
    "address": (_is_address, lambda _: "an IP address"),
    "json": (_is_object, _as_described),
    "devices": (lambda value, _: devices(value) is not None, _as_described),
    "ports": (lambda value, _: ports(value) is not None, _as_described),
    "path": (lambda value, _: "\0" not in value, lambda _: "a path"),
    "text": (lambda value, _: True, lambda _: "any text"),
}
"""Kind of a value: the check it must pass, and the phrase for messages."""


def _rules() -> list[Spec]:
    rules: list[Spec] = table("variables")["rules"]
    return rules


def _broken(rule: Spec, variable: str, value: str) -> ClusterProblem:
    severity = rule.get("severity", ERROR)
    return ClusterProblem(variable, format_value(value), rule["rule"], severity, rule["advice"])


def _exclusive(environment: Mapping[str, str], rule: Spec) -> Iterator[ClusterProblem]:
    one, other = (
        [name for name in rule[side] if environment.get(name)] for side in ("one", "other")
    )
    if one and other:
        yield _broken(rule, other[0], f"{', '.join(other)} beside {', '.join(one)}")


def _needs(environment: Mapping[str, str], rule: Spec) -> Iterator[ClusterProblem]:
    value = environment.get(rule["variable"])
    if not value or value != rule.get("value", value):
        return
    missing = [
        choice.replace("|", " or ")
        for choice in rule["needs"]
        if not any(environment.get(name) for name in choice.split("|"))
    ]
    if missing:
        yield _broken(rule, rule["variable"], f"no {', '.join(missing)}")


def _below(environment: Mapping[str, str], rule: Spec) -> Iterator[ClusterProblem]:
    value, limit = environment.get(rule["variable"], ""), environment.get(rule["limit"], "")
    known = value.isdecimal() and limit.isdecimal() and limit != rule.get("never")
    if known and int(value[:20]) >= int(limit[:20]):
        yield _broken(rule, rule["variable"], f"{value} and {rule['limit']}={limit}")


def _not_both(environment: Mapping[str, str], rule: Spec) -> Iterator[ClusterProblem]:
    if all(environment.get(name) == rule["value"] for name in rule["variables"]):
        yield _broken(rule, rule["variables"][0], "both are 1")


def _beats(environment: Mapping[str, str], rule: Spec) -> Iterator[ClusterProblem]:
    if environment.get(rule["variable"]) and environment.get(rule["beaten"]):
        yield _broken(rule, rule["beaten"], environment[rule["beaten"]])


def _agree(environment: Mapping[str, str], rule: Spec) -> Iterator[ClusterProblem]:
    values = [environment.get(name, "") for name in rule["variables"]]
    if all(values) and len(set(values)) > 1:
        yield _broken(rule, rule["variables"][-1], " and ".join(values))


def _index(environment: Mapping[str, str], rule: Spec) -> Iterator[ClusterProblem]:
    value = environment.get(rule["variable"], "")
    visible = devices(environment.get(rule["list"], ""))
    if value.isdecimal() and visible is not None and int(value[:20]) >= len(visible):
        yield _broken(rule, rule["variable"], f"{value} of {len(visible)} devices")


_BETWEEN: dict[str, Callable[[Mapping[str, str], Spec], Iterator[ClusterProblem]]] = {
    "exclusive": _exclusive,
    "needs": _needs,
    "below": _below,
    "not-both": _not_both,
    "beats": _beats,
    "agree": _agree,
    "index": _index,
}
"""The rules between variables, by kind."""


def _gpu_only(environment: Mapping[str, str]) -> Iterator[ClusterProblem]:
    for name, value in sorted(environment.items()):
        variable = gpu_variables.find(name)
        if variable is not None and variable.kind in (SETTING, DEVICES):
            advice = variable.instead() or "leave it out"
            yield ClusterProblem(
                name, format_value(value), "is read by GPU software only", WARNING, advice
            )
