"""Read a shell script into commands: their words with positions, and the blocks they are in.

Not a parser of the whole language, only what a safe edit of one command needs: quotes, comments,
here-documents, line continuations, substitutions, and the block that a command belongs to.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)\+?=")
_OPENERS = frozenset({"then", "do", "else", "{"})
_CLOSERS = {
    "fi": ("then", "else"),
    "elif": ("then",),
    "else": ("then",),
    "done": ("do",),
    "}": ("{",),
    ")": ("(",),
}
"""Words that end a block, and the words that begin such blocks."""
_LEADERS = frozenset({"if", "elif", "while", "until", "then", "do", "else", "!", "time", "{"})
"""Words after which a command begins."""
_LISTS = ("&&", "||", "|")
_EXPORTS = frozenset({"export", "declare", "typeset", "local", "readonly", "env"})
_PLAIN = re.compile(r"[^\s;&|<>()\\'\"`$]+")
_PLAIN_IN_QUOTES = re.compile(r"[^\"\\`$]+")
"""Characters that mean nothing but themselves in a word, and between double quotes."""
_QUOTED = re.compile(r"'([^']*)'|\"((?:[^\"\\]|\\.)*)\"|\\(.)", re.S)


@dataclass(frozen=True)
class Word:
    """One word as written, quotes included."""

    text: str
    start: int

    @property
    def end(self) -> int:
        """Offset just past it."""
        return self.start + len(self.text)

    @property
    def value(self) -> str:
        """The word without its quotes; expansions stay as they are written."""
        return _QUOTED.sub(lambda match: match[1] or match[2] or match[3] or "", self.text)

    @property
    def is_plain(self) -> bool:
        """Whether nothing in it is expanded when the script runs."""
        return "$" not in self.text and "`" not in self.text


@dataclass(frozen=True)
class Assignment:
    """``NAME=value`` before a command, or as the argument of ``export``."""

    name: str
    word: Word

    @property
    def value(self) -> Word:
        """The part after the equals sign."""
        head = self.word.text.index("=") + 1
        return Word(self.word.text[head:], self.word.start + head)


@dataclass
class Command:
    """A simple command."""

    words: list[Word] = field(default_factory=list)
    block: int = 0
    """Commands of one block (the body of an ``if``, a loop, a function) have the same number."""
    captured: bool = False
    """Whether its output goes to a substitution or a pipe."""
    chained: bool = False
    """It is part of a list with ``&&``, ``||`` or a pipe, or runs in the background."""

    @property
    def start(self) -> int:
        """Offset of its first word."""
        return self.words[0].start

    @property
    def end(self) -> int:
        """Offset just past its last word."""
        return self.words[-1].end

    @property
    def leading(self) -> list[Assignment]:
        """Assignments before the command's name."""
        found: list[Assignment] = []
        for word in self.words:
            match = _ASSIGNMENT.match(word.text)
            if match is None:
                break
            found.append(Assignment(match[1], word))
        return found

    @property
    def rest(self) -> list[Word]:
        """The command's name and its arguments."""
        return self.words[len(self.leading) :]

    @property
    def name(self) -> str:
        """The command's name without its folder; empty for mere assignments."""
        rest = self.rest
        return rest[0].value.rpartition("/")[2] if rest else ""

    @property
    def assignments(self) -> list[Assignment]:
        """Every variable it sets, by ``export``, by ``env`` or before the command."""
        found = self.leading
        if self.name in _EXPORTS:
            for word in self.rest[1:]:
                match = _ASSIGNMENT.match(word.text)
                if match is not None:
                    found.append(Assignment(match[1], word))
                elif self.name == "env" and not word.text.startswith("-"):
                    break
        return found

    @property
    def only_sets(self) -> bool:
        """Whether it does nothing but set variables."""
        if not self.rest:
            return bool(self.leading)
        if self.name not in _EXPORTS - {"env"}:
            return False
        return all(
            _ASSIGNMENT.match(word.text) or word.text.startswith("-") for word in self.rest[1:]
        )


@lru_cache(maxsize=4)  # every rule sees the same script before the next script is read
def commands(text: str) -> list[Command]:
    """Every simple command of a script in source order, with those inside substitutions."""
    found = list(_Reader(text, 0, len(text)).read())
    return sorted(found, key=lambda command: command.start)


@lru_cache(maxsize=4)
def by_block(text: str) -> dict[int, list[Command]]:
    """The commands of a script by the block they belong to."""
    found: dict[int, list[Command]] = {}
    for command in commands(text):
        found.setdefault(command.block, []).append(command)
    return found


@lru_cache(maxsize=256)  # every command that sets a variable needs to know where it is read
def reads(text: str, name: str) -> list[tuple[int, int]]:
    """Where a script expands a variable: the ranges of its name behind ``$`` or ``${``."""
    pattern = re.compile(rf"\$(?:\{{#?{name}(?=[^\w])|{name}(?!\w))")
    found: list[tuple[int, int]] = []
    for match in pattern.finditer(text):
        at = text.index(name, match.start())
        if not _in_comment(text, at) and text[match.start() - 1 : match.start()] != "\\":
            found.append((at, at + len(name)))
    return found


def _in_comment(text: str, offset: int) -> bool:
    line = text[text.rfind("\n", 0, offset) + 1 : offset]
    return re.search(r"(?:^|\s)#", _QUOTED.sub(lambda match: "x" * len(match[0]), line)) is not None


class _Reader:
    """Reads one range of the text: the whole script, or the inside of a substitution."""

    def __init__(self, text: str, start: int, end: int, *, captured: bool = False) -> None:
        self.text = text
        self.at = start
        self.end = end
        self.captured = captured
        self.found: list[Command] = []
        self.inner: list[_Reader] = []
        self.heredocs: list[tuple[str, bool]] = []
        self.blocks: list[tuple[str, int]] = [("", start)]
        self.pending = False
        self.current = Command()

    def read(self) -> Iterator[Command]:
        text = self.text
        while self.at < self.end:
            char = text[self.at]
            if char in " \t\r":
                self.at += 1
            elif char == "\\" and text[self.at + 1 : self.at + 3].startswith(("\n", "\r\n")):
                self.at = text.index("\n", self.at) + 1
            elif char == "\n":
                self.at += 1
                self._finish()
                self._skip_heredocs()
            elif char == "#":
                line_end = text.find("\n", self.at, self.end)
                self.at = self.end if line_end < 0 else line_end
            elif char in ";&|()<>":
                self._operator(char)
            else:
                self._word()
        self._finish()
        yield from self.found
        for reader in self.inner:
            yield from reader.read()

    # operators

    def _operator(self, char: str) -> None:
        text = self.text
        if char in "<>":
            self._redirect()
            return
        if char == "&" and text[self.at + 1 : self.at + 2] == ">":
            self.at += 1
            self._redirect()
            return
        if char == "(" and text.startswith("((", self.at) and not self.current.words:
            close = text.find("))", self.at, self.end)
            self.at = self.end if close < 0 else close + 2
            return
        doubled = text[self.at + 1 : self.at + 2] == char and char in ";&|"
        self.at += 2 if doubled else 1
        self._finish(char * 2 if doubled else char)
        if char == "(":
            self._open(char)
        elif char == ")":
            self._close(char)

    def _redirect(self) -> None:
        """``> file``, ``2>&1``, ``<<EOF``: the target is no word of the command."""
        text = self.text
        start = self.at
        while self.at < self.end and text[self.at] in "<>&|":
            self.at += 1
        operator = text[start : self.at]
        if self.current.words and self.current.words[-1].text.isdigit():
            number = self.current.words[-1]
            if number.end == start:
                self.current.words.pop()
        if operator.endswith("<<") and text[self.at : self.at + 1] == "-":
            self.at += 1
            operator += "-"
        while self.at < self.end and text[self.at] in " \t":
            self.at += 1
        if text[self.at : self.at + 1] == "(":
            # process substitution
            self._substitution(self.at + 1)
            return
        word = self._take_word()
        if operator in ("<<", "<<-"):
            self.heredocs.append((word.value, operator.endswith("-")))

    def _skip_heredocs(self) -> None:
        for delimiter, indented in self.heredocs:
            while self.at < self.end:
                line_end = self.text.find("\n", self.at, self.end)
                line_end = self.end if line_end < 0 else line_end
                line = self.text[self.at : line_end].rstrip("\r")
                self.at = min(self.end, line_end + 1)
                if (line.lstrip("\t") if indented else line) == delimiter:
                    break
        self.heredocs = []

    # words

    def _word(self) -> None:
        word = self._take_word()
        words = self.current.words
        if words and words[0].text == "function" and word.text == "{":
            self._finish()
            words = []
        if not words and (word.text in _LEADERS or word.text in _CLOSERS):
            self._close(word.text)
            self._open(word.text)
            return
        self.current.words.append(word)
        self.current.block = self.blocks[-1][1]

    def _take_word(self) -> Word:
        start = self.at
        text = self.text
        while self.at < self.end:
            plain = _PLAIN.match(text, self.at, self.end)
            if plain is not None:
                self.at = plain.end()
                continue
            char = text[self.at]
            if char in " \t\r\n;&|<>)":
                break
            if char == "(" and text[start : self.at].endswith("="):
                self.at = self._matching(self.at, "(", ")")
            elif char == "(":
                break
            else:
                self._step()
        if self.at == start:
            # a lone metacharacter where a word was expected is skipped
            self.at += 1
        return Word(text[start : self.at], start)

    def _step(self) -> None:
        """Move past one character of a word, or past one quoted or substituted part of it."""
        text, char = self.text, self.text[self.at]
        if char == "\\":
            self.at += 2
        elif char == "'":
            close = text.find("'", self.at + 1, self.end)
            self.at = self.end if close < 0 else close + 1
        elif char == '"':
            self._double_quoted()
        elif char == "`":
            close = text.find("`", self.at + 1, self.end)
            close = self.end if close < 0 else close
            self.inner.append(_Reader(text, self.at + 1, close, captured=True))
            self.at = min(self.end, close + 1)
        elif text.startswith("$((", self.at):
            self.at = self._matching(self.at + 1, "(", ")")
        elif text.startswith("$(", self.at):
            self._substitution(self.at + 2)
        elif text.startswith("${", self.at):
            self.at = self._matching(self.at + 1, "{", "}")
        else:
            self.at += 1

    def _double_quoted(self) -> None:
        self.at += 1
        while self.at < self.end and self.text[self.at] != '"':
            plain = _PLAIN_IN_QUOTES.match(self.text, self.at, self.end)
            if plain is not None:
                self.at = plain.end()
            elif self.text[self.at] in "\\`" or self.text.startswith(("$(", "${"), self.at):
                self._step()
            else:
                self.at += 1
        self.at += 1

    def _substitution(self, start: int) -> None:
        close = self._matching(start - 1, "(", ")")
        self.inner.append(_Reader(self.text, start, close - 1, captured=True))
        self.at = close

    def _matching(self, start: int, opening: str, closing: str) -> int:
        """Offset past the bracket that closes the one at ``start``; quoted ones do not count."""
        depth, at, text = 0, start, self.text
        while at < self.end:
            char = text[at]
            if char == "\\":
                at += 2
                continue
            if char in "'\"" and not (char == "'" and opening == "{"):
                match = _QUOTED.match(text, at, self.end)
                at = match.end() if match else at + 1
                continue
            if char == opening:
                depth += 1
            elif char == closing:
                depth -= 1
                if depth == 0:
                    return at + 1
            at += 1
        return self.end

    # blocks

    def _open(self, word: str) -> None:
        if word in _OPENERS or word == "(":
            self.blocks.append((word, self.at))

    def _close(self, word: str) -> None:
        """End the block that a word ends; the ``)`` of a pattern of ``case`` ends none."""
        if self.blocks[-1][0] in _CLOSERS.get(word, ()):
            self.blocks.pop()

    def _finish(self, operator: str = "") -> None:
        command, self.current = self.current, Command()
        if command.words:
            command.chained = self.pending or operator in (*_LISTS, "&")
            command.captured = self.captured or operator == "|"
            self.pending = False
            self.found.append(command)
        # what follows ``&&`` or a pipe belongs to the same list, on the next line too
        self.pending = self.pending or operator in _LISTS
