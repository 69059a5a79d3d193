"""Taking commands and variables out of a script so that it stays a valid script."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from ascendify.rules.kit import Changes, Diagnoses, Diagnosis, Rule, TextSite
from ascendify.rules.shell import _script
from ascendify.rules.shell._script import Assignment, Command, Word
from ascendify.source.edits import Edit

_NOTHING = ":"
"""The command that does nothing; a block or a list must not lose its last command."""


def remove_command(
    text: str, command: Command, script: list[Command], removable: Callable[[Command], bool]
) -> list[Edit]:
    """Edits that take a command out; ``removable`` tells which others the same rule takes out."""
    block = [item for item in script if item.block == command.block]
    if command.block and all(removable(item) for item in block) and command is block[0]:
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


def remove_variables(
    site: TextSite, rule: Rule, gone: Callable[[str], bool], instead: Callable[[str], str]
) -> Diagnoses:
    """Take variables out that nothing reads; ``instead`` tells what serves their purpose."""
    removal = _Variables(site, rule, gone, instead)
    for command in removal.script:
        for item in command.assignments:
            if gone(item.name):
                yield removal.without(command, item)


@dataclass(frozen=True)
class _Variables:
    """The removal of some variables from one script."""

    site: TextSite
    rule: Rule
    gone: Callable[[str], bool]
    instead: Callable[[str], str]

    @property
    def script(self) -> list[Command]:
        return _script.commands(self.site.text)

    def without(self, command: Command, item: Assignment) -> Diagnosis:
        """One variable; one that the script itself reads is only noted."""
        start, end = item.word.start, item.word.end
        if not self._may_go(item):
            return self.rule.info(
                self.site.at(start, end),
                f"{item.name} is read on GPU machines only; it was left because the script uses it",
            )
        todo = "" if item.value.value == "0" else self.instead(item.name)
        return self.rule.fixed(
            self.site.at(start, end),
            f"{item.name} is read on GPU machines only",
            done=f"Removed {' '.join(item.word.text.split())}.",
            todo=todo,
            fix=Changes(self._edits(command, item)),
        )

    def _edits(self, command: Command, item: Assignment) -> list[Edit]:
        if self._goes_whole(command):
            return remove_command(self.site.text, command, self.script, self._goes_whole)
        going = [
            other.word
            for other in command.assignments
            if self.gone(other.name) and self._may_go(other)
        ]
        return [remove_words(command, item.word, lambda word: word in going)]

    def _goes_whole(self, command: Command) -> bool:
        """Whether everything a command does is set variables that go."""
        return command.only_sets and all(
            self.gone(item.name) and self._may_go(item) for item in command.assignments
        )

    def _may_go(self, item: Assignment) -> bool:
        runs = "$(" in item.value.text or "`" in item.value.text
        return not runs and not _script.reads(self.site.text, item.name)
