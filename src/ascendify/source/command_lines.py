"""Command lines in files that are no scripts, and where each of their characters stands.

A Dockerfile, a Makefile, a workflow, a manifest or a Python program hands commands to a shell, or
variables to a process. Each such place is read as a small script, so that whoever understands
scripts understands it, and an edit of the script becomes an edit of the file. What the file's own
syntax has between the characters, such as indentation, quotes or commas, is never touched.
"""

from __future__ import annotations

import enum
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby

from ascendify.source.edits import Edit
from ascendify.source.entries import ConfigEntry, Key, in_brackets, read


class Form(str, enum.Enum):
    """What a file holds at a place."""

    SCRIPT = "script"
    """Lines for a shell; lines can be left out."""
    LINE = "line"
    """One command; it cannot be left out."""
    WORDS = "words"
    """The words of one command, one by one; each can be replaced by another."""
    SETTINGS = "settings"
    """Variables of a process, one in each line of the script."""


@dataclass(frozen=True)
class Script:
    """Commands of a file as a script."""

    text: str
    form: Form
    pieces: tuple[tuple[int, int, int], ...]
    """Parts that stand in the file as they stand here: offset here, offset there, length."""
    file: str = field(repr=False)
    """The text of the whole file."""
    whole: tuple[int, int] | None = None
    """The range of the file to take out for a script that is left empty, where that can be done."""
    lines: tuple[tuple[int, int], ...] = ()
    """Of variables that stand in lines of their own: the range of the file that holds each."""
    quote: str = ""
    """The quotes around it in the file."""
    runs: bool = True
    """Whether its lines are executed; variables are only set."""

    def place(self, offset: int, end: bool = False) -> int:
        """Where a character stands in the file; ``end``: the place behind the one before it."""
        at = offset - 1 if end and offset else offset
        number = max(0, bisect_right(self.pieces, (at, len(self.file) + 1, 0)) - 1)
        start, there, length = self.pieces[number]
        return (
            there + min(at - start, length) + (1 if end and offset and at - start < length else 0)
        )

    def edit(self, edit: Edit) -> Edit | None:
        """An edit of the script as one of the file; None where the file's syntax is in the way."""
        if not edit.new and edit.start <= 0 and not self.text[edit.end :].strip():
            return None if self.whole is None else Edit(*self.whole, "")
        if self.form is Form.SETTINGS and not edit.new:
            return self._without_lines(edit)
        if not self._fits(edit.new):
            return None
        if self.form in (Form.WORDS, Form.SETTINGS) and self._piece(edit.start) != self._piece(
            max(edit.start, edit.end - 1)
        ):
            return None
        start, end = self.place(edit.start), self.place(edit.end, end=True)
        if edit.start == edit.end:
            start = end
        if not self._is_same(edit, start, end):
            return None
        if not edit.new and self.text[edit.start : edit.end].endswith("\n"):
            line = self.file.rfind("\n", 0, start) + 1
            start = line if not self.file[line:start].strip() else start
        return Edit(start, end, edit.new)

    def _is_same(self, edit: Edit, start: int, end: int) -> bool:
        """Whether the file has what the script has at a range, but for spaces between lines."""
        here, there = self.text[edit.start : edit.end], self.file[start:end]
        if end < start:
            return False
        return re.sub(r"\n[ \t]*", "\n", here).strip() == re.sub(r"\n[ \t]*", "\n", there).strip()

    def _fits(self, new: str) -> bool:
        """Whether a text can stand in the file without being quoted anew."""
        if "\n" in new and self.form is not Form.SCRIPT:
            return False
        if self.form in (Form.WORDS, Form.SETTINGS) and re.search(r"[\s'\"\\$`:#,]", new):
            return False
        if self.quote == '"' and re.search(r"[\"\\]", new):
            return False
        if self.quote == "'" and "'" in new:
            return False
        return self.form is not Form.LINE or bool(self.quote) or not re.search(r"^:$|: | #", new)

    def _piece(self, offset: int) -> int:
        return bisect_right(self.pieces, (offset, len(self.file) + 1, 0)) - 1

    def _without_lines(self, edit: Edit) -> Edit | None:
        first = self.text.count("\n", 0, edit.start)
        last = first + self.text.count("\n", edit.start, max(edit.start, edit.end - 1))
        if not self.lines or self.text[edit.start : edit.end].strip() != "\n".join(
            self.text.split("\n")[first : last + 1]
        ):
            return None
        return Edit(self.lines[first][0], self.lines[last][1], "")


class _Builder:
    """Puts a script together from parts of a file."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.parts: list[str] = []
        self.pieces: list[tuple[int, int, int]] = []
        self.length = 0

    def take(self, start: int, end: int, shown: str | None = None) -> None:
        """Add a range of the file; ``shown`` stands for it where the shell sees another text."""
        if end <= start:
            return
        text = self.file[start:end] if shown is None else shown
        self.pieces.append((self.length, start, min(len(text), end - start)))
        self._add(text)

    def say(self, text: str) -> None:
        """Add a text that the file does not have."""
        self._add(text)

    def _add(self, text: str) -> None:
        self.parts.append(text)
        self.length += len(text)

    def script(
        self,
        form: Form,
        whole: tuple[int, int] | None = None,
        lines: Iterable[tuple[int, int]] = (),
        quote: str = "",
        runs: bool = True,
    ) -> Iterator[Script]:
        """The script, unless nothing is in it."""
        text = "".join(self.parts)
        if self.pieces and text.strip():
            pieces = tuple(self.pieces)
            yield Script(text, form, pieces, self.file, whole, tuple(lines), quote, runs)


def find(kind: str, path: str, text: str) -> list[Script]:
    """The command lines of a file that is not Python, by its kind."""
    if kind == "docker":
        return list(_dockerfile(text))
    if kind == "make":
        return list(_makefile(text))
    if kind in ("config", "yaml"):
        return list(_settings(path, text))
    return []


def of_strings(text: str, ranges: list[tuple[int, int]], is_list: bool) -> list[Script]:
    """The command in strings of a program, or in the words of a list; what is unknown is empty."""
    items = [ConfigEntry(("", number), text[start:end], start, '"', start, start, flow=True)
             for number, (start, end) in enumerate(ranges)]  # fmt: skip
    if is_list:
        return list(_words(text, items))
    return [script for item in items for script in _line(text, item)]


# --- Dockerfile ------------------------------------------------------------------------------

_INSTRUCTION = re.compile(r"[ \t]*(?:ONBUILD[ \t]+)?([A-Za-z]+)[ \t]+")
_OPTION = re.compile(r"--[a-z]+(?:=\S+)?(?:[ \t]+|\\\r?\n[ \t]*)")
_HEREDOC = re.compile(r"<<-?[\"']?(\w+)[\"']?")
_REMARK = re.compile(r"[ \t]*#[^\n]*\n?")


def _dockerfile(text: str) -> Iterator[Script]:
    for start, end in _instructions(text):
        match = _INSTRUCTION.match(text, start, end)
        if match is None:
            continue
        keyword, at = match[1].upper(), match.end()
        if keyword == "HEALTHCHECK":
            inner = re.compile(r"(?:--\S+[ \t]+)*CMD[ \t]+").match(text, at, end)
            if inner is None:
                continue
            at = inner.end()
        elif keyword not in ("RUN", "CMD", "ENTRYPOINT", "ENV"):
            continue
        while (option := _OPTION.match(text, at, end)) is not None and keyword == "RUN":
            at = option.end()
        if keyword == "ENV" and re.compile(r"\w+[ \t]+[^=\s]").match(text, at):
            yield from _old_env(text, start, at, end)
        elif text[at : at + 1] == "[":
            items = in_brackets(text[:end], at)
            yield from _words(text, [item for item in items if len(item.keys) == 1])
        else:
            yield from _shell_form(text, start, at, end, keyword)


def _instructions(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each instruction, with its continued lines and here-documents."""
    at = 0
    while at < len(text):
        remark = _REMARK.match(text, at)
        if remark is not None:
            at = remark.end()
            continue
        start = at
        while True:
            line_end = text.find("\n", at)
            line_end = len(text) if line_end < 0 else line_end + 1
            line = text[at:line_end].rstrip()
            at = line_end
            goes_on = line.endswith("\\") or (at > start and _REMARK.fullmatch(line + "\n"))
            if not goes_on or at >= len(text):
                break
        for delimiter in _HEREDOC.findall(text[start:at]):
            stop = re.compile(rf"^[ \t]*{delimiter}[ \t]*\r?(?:\n|\Z)", re.M).search(text, at)
            at = len(text) if stop is None else stop.end()
        yield start, at


def _shell_form(text: str, start: int, at: int, end: int, keyword: str) -> Iterator[Script]:
    """Commands as people write them; remark lines between continued lines are left out."""
    builder = _Builder(text)
    heredoc = _HEREDOC.match(text, at, end) if keyword == "RUN" else None
    if heredoc is not None:
        at = text.find("\n", at) + 1
        stop = text.rfind("\n", at, max(at, end - 1))
        builder.take(at, max(at, stop + 1))
        yield from builder.script(Form.SCRIPT)
        return
    stop = at + len(text[at:end].rstrip())
    while at < stop:
        line_end = text.find("\n", at, stop)
        line_end = stop if line_end < 0 else line_end + 1
        if not _REMARK.fullmatch(text, at, line_end) or text[at:line_end].strip()[:1] != "#":
            builder.take(at, line_end)
        at = line_end
    yield from builder.script(Form.SCRIPT, whole=(start, end), runs=keyword != "ENV")


def _old_env(text: str, start: int, at: int, end: int) -> Iterator[Script]:
    """``ENV NAME value``."""
    name = re.compile(r"\w+").match(text, at)
    if name is None:
        return
    value = re.compile(r"[ \t]+").match(text, name.end())
    builder = _Builder(text)
    builder.take(at, name.end())
    builder.say("=")
    begin = name.end() if value is None else value.end()
    builder.take(begin, begin + len(text[begin:end].rstrip()))
    yield from builder.script(Form.SETTINGS, whole=(start, end), runs=False)


# --- Makefile --------------------------------------------------------------------------------

_MAKE_VARIABLE = re.compile(r"\$\$|\$\(([A-Za-z_]\w*)\)")
_EXPORT = re.compile(
    r"^(export[ \t]+(\w+)[ \t]*(?:[:?+]?=|::=)[ \t]*)([^\n#]*?)[ \t]*(?:#[^\n]*)?$", re.M
)


def _makefile(text: str) -> Iterator[Script]:
    at = 0
    while at < len(text):
        start = at
        while True:
            line_end = text.find("\n", at)
            line_end = len(text) if line_end < 0 else line_end + 1
            line = text[at:line_end].rstrip("\r\n")
            at = line_end
            if not line.endswith("\\") or at >= len(text):
                break
        if text[start : start + 1] == "\t":
            yield from _recipe(text, start, at)
            continue
        export = _EXPORT.match(text, start, at)
        if export is not None:
            builder = _Builder(text)
            builder.take(export.start(2), export.end(2))
            builder.say("=")
            builder.take(*export.span(3))
            yield from builder.script(Form.SETTINGS, whole=(start, at), runs=False)


def _recipe(text: str, start: int, end: int) -> Iterator[Script]:
    """One line of a recipe, in which ``$$`` stands for a dollar sign."""
    lead = re.compile(r"\t[ \t@+-]*").match(text, start)
    at = start if lead is None else lead.end()
    stop = at + len(text[at:end].rstrip())
    builder = _Builder(text)
    for variable in _MAKE_VARIABLE.finditer(text, at, stop):
        builder.take(at, variable.start())
        at = variable.end()
        if variable[1]:
            builder.take(variable.start(), at, f"${{{variable[1]}}}")
        else:
            builder.take(variable.start() + 1, at)
    builder.take(at, stop)
    yield from builder.script(Form.SCRIPT)


# --- YAML, JSON and the like -----------------------------------------------------------------

_COMMANDS = frozenset({"command", "cmd", "args", "entrypoint", "launcher", "postcreatecommand",
                       "oncreatecommand", "poststartcommand", "exec"})  # fmt: skip
"""Keys whose value is one command; a list has its words."""
_SCRIPTS = frozenset({"run", "script", "before_script", "after_script", "setup", "commands",
                      "init_script", "setup_commands", "bash", "shell"})  # fmt: skip
"""Keys whose value is a script; a list has its lines."""
_ENVIRONMENTS = frozenset({"env", "environment", "env_vars", "envs", "env_variables", "variables",
                           "containerenv", "remoteenv"})  # fmt: skip
_HAS_ROLE = re.compile(
    rf"\b(?:{'|'.join(sorted(_COMMANDS | _SCRIPTS | _ENVIRONMENTS))})[\"']?[ \t]*[:=]", re.I
)
_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]*")


def _settings(path: str, text: str) -> Iterator[Script]:
    if _HAS_ROLE.search(text) is None:
        return
    entries = read(path, text)
    for owner, group in groupby(entries, key=_owner):
        found = list(group)
        role = _role(owner, found[0])
        if role in _ENVIRONMENTS:
            yield from _environment(text, owner, found)
        elif role not in _COMMANDS | _SCRIPTS:
            continue
        elif len(found) == 1 and not found[0].is_item:
            yield from _line(text, found[0])
        elif role in _COMMANDS:
            yield from _words(text, [item for item in found if len(item.keys) == len(owner) + 1])
        else:
            for item in found:
                yield from _line(text, item)


def _owner(entry: ConfigEntry) -> tuple[Key, ...]:
    """The keys of the mapping, list or value that an entry belongs to, down to a known role."""
    for number, key in enumerate(entry.keys):
        if isinstance(key, str) and key.lower() in _COMMANDS | _SCRIPTS | _ENVIRONMENTS:
            last = number == len(entry.keys) - 1
            if last or key.lower() in _ENVIRONMENTS or isinstance(entry.keys[number + 1], int):
                return entry.keys[: number + 1]
    return entry.keys


def _role(owner: tuple[Key, ...], first: ConfigEntry) -> str:
    """The known key that a group of entries belongs to; empty for others."""
    last = owner[-1] if owner else ""
    return last.lower() if isinstance(last, str) and len(owner) <= len(first.keys) else ""


def _line(text: str, entry: ConfigEntry) -> Iterator[Script]:
    """A value that is one command, or a block of lines."""
    builder = _Builder(text)
    if entry.quote in ("|", ">"):
        at = entry.start
        for line in entry.value.splitlines(keepends=True):
            indent = len(line) - len(line.lstrip(" ")) if line.strip() else 0
            builder.take(at + indent, at + len(line))
            at += len(line)
        yield from builder.script(Form.SCRIPT if entry.quote == "|" else Form.LINE, quote="|")
        return
    if entry.quote and _is_escaped(entry):
        return
    builder.take(entry.start, entry.end)
    form = Form.SCRIPT if entry.quote in ('"""', "'''") else Form.LINE
    yield from builder.script(form, quote=entry.quote)


def _is_escaped(entry: ConfigEntry) -> bool:
    """Whether a quoted value means another text than it shows."""
    return "\\" in entry.value if entry.quote[0] == '"' else "''" in entry.value


def _words(text: str, items: list[ConfigEntry]) -> Iterator[Script]:
    """The words of a command in a list; a word with spaces is a script for a shell."""
    builder = _Builder(text)
    for item in items:
        if item.quote in ("|", ">") or re.search(r"\s", item.value):
            yield from _line(text, item)
            builder.say("... ")
            continue
        if item.value and not re.search(r"[;&|<>()'\"`\\#]", item.value):
            builder.take(item.start, item.end)
        else:
            builder.say("...")
        builder.say(" ")
    yield from builder.script(Form.WORDS)


def _environment(text: str, owner: tuple[Key, ...], entries: list[ConfigEntry]) -> Iterator[Script]:
    """Variables: a mapping, a list of ``NAME=value``, or a list of names with values."""
    builder = _Builder(text)
    lines: list[tuple[int, int]] = []
    own = len(owner)
    groups = [list(group) for _, group in groupby(entries, key=lambda entry: entry.keys[own:][:1])]
    for found in groups:
        parts = _variable(text, found, own)
        if not parts or any(re.search(r"[\n'\"\\`]", text[start:end]) for start, end in parts):
            continue
        if builder.parts:
            builder.say("\n")
        builder.take(*parts[0])
        if len(parts) > 1:
            builder.say("=")
            value = text[slice(*parts[1])]
            builder.take(*parts[1], re.sub(r"[\s;&|<>()]", "_", value))
        lines.append(_lines(text, found))
    if any(entry.flow for entry in entries):
        lines = []
    complete = len(groups) == len(lines)
    whole = _with_key(text, lines) if lines and complete else None
    if len(lines) == 1 and not complete:
        whole = lines[0]
    yield from builder.script(Form.SETTINGS, whole=whole, lines=lines, runs=False)


def _variable(text: str, found: list[ConfigEntry], own: int) -> list[tuple[int, int]]:
    """Where name and value of a variable stand, or both in one range; empty for anything else."""
    first = found[0]
    if len(found) == 1 and len(first.keys) == own + 1:
        name = first.keys[-1]
        if isinstance(name, int):
            named = first.value.partition("=")
            is_setting = named[1] and _VARIABLE.fullmatch(named[0])
            return [(first.start, first.end)] if is_setting else []
        if not _VARIABLE.fullmatch(name):
            return []
        key = text.index(name, first.key_start)
        return [(key, key + len(name)), (first.start, first.end)]
    fields = {item.keys[-1]: item for item in found if len(item.keys) == own + 2}
    if fields.keys() != {"name", "value"} or len(found) != len(fields):
        return []
    if not _VARIABLE.fullmatch(fields["name"].value):
        return []
    return [(fields[key].start, fields[key].end) for key in ("name", "value")]


def _lines(text: str, found: list[ConfigEntry]) -> tuple[int, int]:
    """The lines of a variable; a remark behind its value stays."""
    first, last = found[0], max(found, key=lambda item: item.end)
    remark = re.compile(r"['\"]?[ \t]+(?=#)").match(text, last.end)
    if remark is not None:
        indent = re.compile(r"[ \t]*").match(text, first.top)
        return (indent.end() if indent else first.top), remark.end()
    end = text.find("\n", last.end)
    return first.top, len(text) if end < 0 else end + 1


def _with_key(text: str, lines: list[tuple[int, int]]) -> tuple[int, int] | None:
    """The lines of all variables, and the line above that only names them."""
    start = text.rfind("\n", 0, lines[0][0] - 1) + 1
    if not re.fullmatch(r"[ \t]*[\w\"'-]+:[ \t]*\r?\n", text[start : lines[0][0]]):
        return None
    return start, lines[-1][1]
