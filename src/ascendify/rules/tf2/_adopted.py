"""Rules of TensorFlow 1 that hold for TensorFlow 2, under codes of their own."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ascendify.rules.kit import Diagnoses, File, Rule
from ascendify.rules.kit.names import of_both
from ascendify.rules.rule import Diagnosis, Handler, Trigger


def adopt(rule: Rule, known: Rule) -> None:
    """Have a rule do what a rule of TensorFlow 1 does, on the names of both releases."""
    seen = set()
    for trigger in known.triggers:
        handler = _under(rule, trigger.handler)
        for pattern in _patterns(trigger):
            key = (trigger.event, pattern, trigger.handler)
            if key not in seen:
                seen.add(key)
                rule.triggers.append(Trigger(trigger.event, pattern, handler, trigger.where))


def _patterns(trigger: Trigger) -> tuple[str, ...]:
    is_name = trigger.pattern.startswith("tf.") and not trigger.pattern.endswith("*")
    return of_both(trigger.pattern) if is_name else (trigger.pattern,)


def _under(rule: Rule, handler: Handler) -> Handler:
    """A handler whose findings have the code of another rule.

    Files for graphs of compat.v1 are looked at by the rules of TensorFlow 1 themselves.
    """

    @functools.wraps(handler)
    def adopted(site: Any) -> Diagnoses:
        file = site if isinstance(site, File) else site.file
        if "tensorflow" not in file.frameworks:
            yield from _renamed(rule, handler(site))

    return adopted


def _renamed(rule: Rule, diagnoses: Any) -> Iterator[Diagnosis]:
    for diagnosis in diagnoses:
        yield Diagnosis(replace(diagnosis.finding, code=rule.code), diagnosis.fix)
