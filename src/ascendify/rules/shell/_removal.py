"""Taking commands and words out of a script so that it stays a valid script."""

from __future__ import annotations

import re
from collections.abc import Callable

from ascendify.rules.shell._script import Command, Word, by_block
from ascendify.source.edits import Edit

_NOTHING = ":"
"""The command that does nothing; a block or a list must not lose its last command."""


def remove_command(text: str, command: Command, removable: Callable[[Command], bool]) -> list[Edit]:
    """Edits that take a command out; ``removable`` tells which others the same rule takes out."""
    block = by_block(text)[command.block]
    if command.block and command is block[0] and all(removable(item) for item in block):
        return [_emptied(command)]
    if command.chained:
        return [_emptied(command)]
    line_start = text.rfind("\n", 0, command.start) + 1
    line_end = text.find("\n", command.end)
    line_end = len(text) if line_end < 0 else line_end
    after = text[command.end : line_end]
    if text[line_start : command.start].strip():
        return [_emptied(command)]
    if re.fullmatch(r"[ \t\r]*;?[ \t\r]*", after):
        return [Edit(line_start, min(line_end + 1, len(text)), "")]
    following = re.match(r"[ \t]*;[ \t]*(?=[^;\s])|[ \t]+(?=#)", after)
    if following is not None:
        # what follows on the line, a command or a remark, takes its place
        return [Edit(command.start, command.end + following.end(), "")]
    return [_emptied(command)]


def _emptied(command: Command) -> Edit:
    return Edit(command.start, command.end, _NOTHING)


def remove_words(command: Command, word: Word, going: Callable[[Word], bool]) -> Edit:
    """Take a word out of a command, with its neighbours that go as well and one space.

    Every word of such a run asks for the same edit.
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
