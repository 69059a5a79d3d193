"""Lines that still mention CUDA or its libraries after a migration, each with the reason."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from ascendify.catalog import gpu_variables
from ascendify.findings import Finding, Status
from ascendify.reports.model import FileAction, FileResult, Mention

_WORDS = ("cuda", "cudnn", "cublas", "nccl", "nvidia", "nvcc", "nsys", "cu1")
_WORD = re.compile(
    r"cuda|cudnn|cublas|nccl|nvidia|(?<![a-z0-9])(?:nvcc|nsys|cu1[0-9]{2})(?![a-z0-9])"
)
"""What a mention is, in small letters: searching without regard to case takes several times as
long."""
_TOKEN = re.compile(
    r"(?P<comment>\#[^\n]*)|(?P<text>[rbfuRBFU]{0,2}"
    r"(?:\"\"\"(?:[^\\]|\\.)*?\"\"\"|'''(?:[^\\]|\\.)*?'''"
    r"|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'))",
    re.S,
)
_MESSAGE = re.compile(
    r"\b(?:assert|print|log\w*|warn\w*|info|error|debug|raise|help|description)\b|Error\("
)
_HARMLESS = re.compile(r"torch\.backends\.cud(?:nn|a)|\bcudnn\.\w+|_cudnn_|import\s+cudnn")
_REMARK = {"config": "#;/"}
"""What begins a comment, by the kind of the file; # in all others."""
_MAX_SHOWN = 160
_MAX_BYTES = 200_000
"""Larger files are data."""
_DOCUMENTS = (".md", ".rst", ".txt", ".html", ".tex", ".adoc")
_SOURCES = (".cu", ".cuh", ".c", ".cc", ".cpp", ".cxx", ".h", ".hpp", ".cmake", ".pyx", ".ptx")
_LOCKS = ("uv.lock", "poetry.lock", "Pipfile.lock", "pdm.lock", "conda-lock.yml", "pixi.lock")

_LIBRARY = re.compile(r"lib(?:cuda|cudart|cudnn|nccl|nvidia|nvrtc)|(?:nv)?cuda\.dll|/nvcc\b")
_SOURCE = re.compile(r"pypi\.nvidia\.com|^[ \t]*-[ \t]*['\"]?nvidia['\"]?[ \t]*$|-c[ =]nvidia\b")
_VARIABLE = re.compile(r"\b[A-Z0-9_]*(?:CUDA|CUDNN|CUBLAS|NCCL|NVIDIA)[A-Z0-9_]*\b")

COMMENT = "a comment"
DOCUMENT = "documentation"
_SWITCH = "a switch of CUDA's libraries, harmless on an NPU"
_TEXT = "a text of the program: a path, a key or a name of its own"
_ASKS = "a test for a GPU that stays, because what it decides about is for GPUs"
_LOADED = "a library or a compiler of CUDA that the program looks for; an NPU machine has none"
_INDEX = "NVIDIA's source of packages: harmless, and to be removed with what comes from it"
_OWN = "a name of the project's own, which its other code uses"


def of_python(
    text: str, findings: Iterable[Finding], original_line: Callable[[int], int], path: str
) -> tuple[Mention, ...]:
    """The lines of a migrated Python file; ``original_line`` takes an offset of its text."""
    if not _may_mention(text):
        return ()
    tokens = list(_TOKEN.finditer(text))
    starts = [token.start() for token in tokens]

    def role(offset: int, line: str) -> str:
        number = bisect_right(starts, offset) - 1
        if number >= 0 and offset < tokens[number].end():
            token = tokens[number]
            if token["comment"] is not None:
                return COMMENT
            before = text[text.rfind("\n", 0, token.start()) + 1 : token.start()]
            if not before.strip() and token[0].lstrip("rRuU")[:3] in ('"""', "'''"):
                return "documentation in the code"
            return _known(line) or ("a message" if _MESSAGE.search(line) else _TEXT)
        if "torch.cuda." in line:
            return _ASKS
        return _SWITCH if _HARMLESS.search(line) else _OWN

    return tuple(_found(text, findings, original_line, path, role))


def of_text(
    text: str,
    kind: str,
    findings: Iterable[Finding],
    original_line: Callable[[int], int],
    path: str,
) -> tuple[Mention, ...]:
    """The lines of another migrated file."""
    if not _may_mention(text):
        return ()

    def role(offset: int, line: str) -> str:
        begin = text.rfind("\n", 0, offset) + 1
        signs = _REMARK.get(kind, "#")
        if re.search(rf"(?:^|\s)[{re.escape(signs)}]", text[begin:offset]):
            return COMMENT
        if known := _known(line):
            return known
        if kind == "config":
            return "a key or a value that names no device and no backend"
        return "a name or a text of the script's own"

    return tuple(_found(text, findings, original_line, path, role))


def _may_mention(text: str) -> bool:
    lowered = text.lower()
    return any(word in lowered for word in _WORDS)


def _lowered(text: str) -> str:
    """The text in small letters, each at its place: some letters become two."""
    lowered = text.lower()
    same = len(lowered) == len(text)
    return lowered if same else "".join(char.lower()[:1] for char in text)


def _known(line: str) -> str:
    """What a line is about, where that is known by its words; empty otherwise."""
    if _SOURCE.search(line):
        return _INDEX
    if _LIBRARY.search(line):
        return _LOADED
    for word in _VARIABLE.findall(line):
        variable = gpu_variables.find(word)
        if variable is not None:
            return f"a variable that only GPU software reads ({variable.reader})"
    return ""


def _found(
    text: str,
    findings: Iterable[Finding],
    original_line: Callable[[int], int],
    path: str,
    role: Callable[[int, str], str],
) -> Iterator[Mention]:
    by_line: dict[int, Finding] = {}
    line_number, counted = 1, 0
    for finding in sorted(findings, key=lambda item: item.status.rank, reverse=True):
        if not finding.status.rewrites or finding.status is Status.AUTO_CHECK:
            span = finding.span
            by_line.update(dict.fromkeys(range(span.line, span.end_line + 1), finding))
    seen = 0
    for match in _WORD.finditer(_lowered(text)):
        begin = text.rfind("\n", 0, match.start()) + 1
        if begin < seen:
            continue
        end = text.find("\n", match.end())
        end = len(text) if end < 0 else end
        seen = end + 1
        line = text[begin:end].strip()
        known = by_line.get(original_line(match.start()))
        reason = role(match.start(), line)
        code = ""
        if known is not None and reason != COMMENT:
            reason, code = known.found, known.code
        line_number += text.count("\n", counted, begin)
        counted = begin
        yield Mention(path, line_number, line[:_MAX_SHOWN], reason, code)


def elsewhere(root: Path, files: Iterable[FileResult]) -> Iterator[Mention]:
    """The files that are copied as they are: one entry each, at its first such line."""
    for entry in files:
        if entry.action not in (FileAction.COPIED, FileAction.UNREADABLE):
            continue
        name = entry.path.rpartition("/")[2]
        reason = _reason(entry, name)
        path = root / entry.path
        if not reason or not path.is_file() or path.stat().st_size > _MAX_BYTES:
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        lowered = _lowered(text)
        match = _WORD.search(lowered)
        if match is None:
            continue
        begin, end = text.rfind("\n", 0, match.start()) + 1, text.find("\n", match.end())
        lines = sum(_WORD.search(line) is not None for line in lowered.split("\n"))
        line = text[begin : len(text) if end < 0 else end].strip()[:_MAX_SHOWN]
        number = text.count("\n", 0, begin) + 1
        yield Mention(entry.path, number, line, reason, lines=lines)


def _reason(entry: FileResult, name: str) -> str:
    """Why a file was not looked at; empty for what is no text that people write."""
    if entry.action is FileAction.UNREADABLE:
        return "the file could not be read"
    if name in _LOCKS:
        return "a lock file: make it anew from the changed requirements"
    if name.endswith(_SOURCES) or name == "CMakeLists.txt":
        return "C, C++ or CUDA sources, which the tool does not rewrite"
    if name.endswith(".py"):
        return "tests, or a file that nothing of the migration concerns"
    return DOCUMENT if name.endswith(_DOCUMENTS) else ""
