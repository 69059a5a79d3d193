"""Remove commands and words from a script so that it stays a valid script."""

from __future__ import annotations

import re
from collections.abc import Callable

from ascendify.rules.shell._script import Command, Word, by_block
from ascendify.source.edits import Edit

_NOTHING = ":"
"""The command that does nothing, for a block or a list that would be empty otherwise."""


def remove_command(text: str, command: Command, removable: Callable[[Command], bool]) -> list[Edit]:
    """Edits that remove a command; ``removable`` decides which others the same rule removes."""
    emptied = [Edit(command.start, command.end, _NOTHING)]
    block = by_block(text)[command.block]
    if command.block and command is block[0] and all(removable(item) for item in block):
        return emptied
    if command.chained:
        return emptied
    line_start = text.rfind("\n", 0, command.start) + 1
    line_end = text.find("\n", command.end)
    line_end = len(text) if line_end < 0 else line_end
    after = text[command.end : line_end]
    if text[line_start : command.start].strip():
        return emptied
    if re.fullmatch(r"[ \t\r]*;?[ \t\r]*", after):
        return [Edit(line_start, min(line_end + 1, len(text)), "")]
    following = re.match(r"[ \t]*;[ \t]*(?=[^;\s])|[ \t]+(?=#)", after)
    if following is not None:
        # the command or comment that follows on the line is moved to its place
        return [Edit(command.start, command.end + following.end(), "")]
    return emptied


def remove_words(command: Command, word: Word, going: Callable[[Word], bool]) -> Edit:
    """Remove a word of a command, together with neighbours that are removed too, and one space.

    All words of such a sequence give the same edit.
    """
    words = command.words
    first = last = words.index(word)
    while first > 0 and going(words[first - 1]):
        first -= 1
    while last + 1 < len(words) and going(words[last + 1]):
        last += 1
    if last + 1 < len(words):
        return Edit(words[first].start, words[last + 1].start, "")
    return Edit(words[first - 1].end, words[last].end, "")
