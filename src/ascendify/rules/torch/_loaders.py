"""Tell data loaders for training from those for tests."""

from __future__ import annotations

import re

from ascendify.rules.kit import CallSite
from ascendify.source.nodes import is_literal
from ascendify.source.scopes import statement

_TRAINING = re.compile(r"(?:^|[^a-z])(?:train|trn)", re.I)
_TESTING = re.compile(r"(?:^|[^a-z])(?:val|valid|validation|test|eval|dev)(?![a-z])", re.I)


def trains(site: CallSite) -> bool:
    """Whether a DataLoader loads training data: by its names, or because it shuffles."""
    if any(_TRAINING.search(name) for name in _names(site)[:-1]):
        return True
    return is_literal(site.args.value("shuffle"), True) and not tests(site)


def tests(site: CallSite) -> bool:
    """Whether a DataLoader loads data for tests or validation, according to its names."""
    return any(_TESTING.search(name) for name in _names(site))


def _names(site: CallSite) -> list[str]:
    """The variables a loader is assigned to, then its dataset."""
    dataset = site.args.value("dataset")
    targets = getattr(statement(site.node), "targets", [])
    return [site.file.text(node) for node in targets] + [
        "" if dataset is None else site.file.text(dataset)
    ]
