"""Programs of the project that a launch script starts."""

from __future__ import annotations

import re

from ascendify.rules.shell import _script
from ascendify.rules.shell._script import Word
from ascendify.rules.site import TextSite


def first_started(site: TextSite, launchers: re.Pattern[str]) -> Word | None:
    """The first program of the project that is started by a command with one of these names."""
    entries = {path.rpartition("/")[2] for path in site.facts.entry_points}
    for command in _script.commands(site.text):
        if not launchers.fullmatch(command.name):
            continue
        program = next((word for word in command.rest[1:] if word.value.endswith(".py")), None)
        if program is not None and program.value.rpartition("/")[2] in entries:
            return program
    return None
