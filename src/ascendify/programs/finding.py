"""Find the programs of a project, judge what each does, and rank them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from ascendify.programs.activities import (
    AVERAGES,
    BUILDS,
    EVALUATES,
    EXPORTS,
    PREDICTS,
    PREPARES,
    RUNS,
    TRAINS,
)
from ascendify.programs.code import FileCode, may_start
from ascendify.programs.links import Files
from ascendify.programs.program import (
    EVALUATION,
    EXPORT,
    INFERENCE,
    OTHER,
    PREPARATION,
    TRAINING,
    Program,
    Programs,
)
from ascendify.programs.reach import ProgramAction, Reached, reach
from ascendify.source.project import Project
from ascendify.source.test_files import is_test_file

_SETUP = frozenset({"setup.py", "conf.py", "noxfile.py", "versioneer.py", "__init__.py"})
_TRAIN_WORD = re.compile(r"train|finetune|fine_tune|pretrain|(?<![a-z])fit(?![a-z])", re.I)
_NO_TRAINING_WORD = re.compile(r"pre_?train(ed|ing)_(data|model)|create_|(?<![a-z])no_?train", re.I)
_MAIN_WORD = re.compile(r"^(main|run)|(main|run)$", re.I)
_WORDS = (
    (re.compile(r"eval|test|valid|bench|score|metric", re.I), EVALUATION),
    (re.compile(r"infer|predict|demo|generat|sampl|detect|visuali|serv|deploy", re.I), INFERENCE),
    (re.compile(r"export|convert|freeze|to_onnx|tflite", re.I), EXPORT),
    (re.compile(r"prepare|download|preprocess|create_|build_|split|tfrecord", re.I), PREPARATION),
)
"""Words in the name of a program that trains nothing, and what each says about it."""
_SIDE_FOLDERS = frozenset(
    {
        "example", "examples", "sample", "samples", "tutorial", "tutorials", "third_party", "test",
        "tests", "contrib", "legacy", "old", "deprecated", "docs", "doc", "benchmark",
        "benchmarks", "notebooks", "research",
    }
)  # fmt: skip
_NOTEBOOK, _NAMED_BY_USER = "a notebook", "named by you"
_MODULE_LEVEL = "code at module level"
_SHOWN = 2
"""Places that are named as reasons."""


@dataclass(frozen=True)
class _Start:
    """How a program is started, and the code it runs then."""

    path: str
    how: str
    code: FileCode
    reached: Reached
    imported: bool = False
    """Whether other files of the project import it."""


def find(
    project: Project, notebooks: tuple[str, ...] = (), mentions: Mapping[str, str] | None = None
) -> Programs:
    """Find and rank the programs of a project.

    Args:
        project: Its Python files; the notebooks are put into it.
        notebooks: Paths of the notebooks.
        mentions: Files that documents and launch scripts start, each with the document's path.
    """
    files, mentions = Files(project), mentions or {}
    starts = list(_starts(files, notebooks, mentions))
    judged = [(start, _kind(start)) for start in starts]
    if not any(kind == TRAINING for _, kind in judged):
        # a file called ``test`` trains where nothing else does
        judged = [(start, TRAINING if _may_train(start) else kind) for start, kind in judged]
    if not any(kind == TRAINING for _, kind in judged):
        judged = [
            (start, TRAINING if _is_called_training(start) else kind) for start, kind in judged
        ]
    programs = [_program(start, kind, files, mentions) for start, kind in judged]
    ranked = sorted(programs, key=lambda item: (-item.score, item.path.count("/"), item.path))
    return Programs(
        tuple(item for item in ranked if item.trains),
        tuple(item for item in ranked if not item.trains),
    )


def describe(project: Project, path: str, mentions: Mapping[str, str] | None = None) -> Program:
    """Describe a file that the user names as the program to start: it counts as training."""
    files = Files(project)
    start = _Start(path, _NAMED_BY_USER, files(path), reach(files, path))
    found = _program(start, TRAINING, files, mentions or {})
    return found if _may_train(start) else replace(found, reasons=(_NAMED_BY_USER,))


# --- which files can be started ----------------------------------------------------------------


def _starts(
    files: Files, notebooks: tuple[str, ...], mentions: Mapping[str, str]
) -> Iterator[_Start]:
    project = files.project
    for path in (*sorted(project.files), *notebooks):
        if path.rpartition("/")[2] in _SETUP:
            continue
        imported = bool(project.importer_paths(path))
        if path not in notebooks:
            text = _text(project, path)
            if is_test_file(path, text):
                continue
            if imported and path not in mentions and not may_start(path, text):
                continue
        code = files(path)
        how = _NOTEBOOK if path in notebooks else _how(code)
        certain = bool(how) or path in mentions
        if not certain and (imported or not files.does_something(path)):
            continue
        found = _Start(path, how or _MODULE_LEVEL, code, reach(files, path), imported)
        # without a main guard, only code that trains makes a program of a file
        if certain or _may_train(found):
            yield found


def _text(project: Project, path: str) -> str:
    return project.read(path).decode("utf-8", errors="replace")


def _how(code: FileCode) -> str:
    if code.runner:
        return code.runner
    if code.guarded:
        return "its main guard"
    return "python -m" if code.path.endswith("__main__.py") else ""


# --- what a program does -----------------------------------------------------------------------


def _may_train(start: _Start) -> bool:
    return start.reached.framework and bool(start.reached.of_kind(TRAINS, BUILDS))


def _is_called_training(start: _Start) -> bool:
    return start.reached.framework and _names_training(start.path)


def _names_training(path: str) -> bool:
    stem = _stem(path)
    return _TRAIN_WORD.search(stem) is not None and _NO_TRAINING_WORD.search(stem) is None


def _kind(start: _Start) -> str:
    reached = start.reached
    named = _named_kind(start.path)
    if _may_train(start):
        done = reached.of_kind(TRAINS, RUNS)
        own = any(place.path == start.path for place in done)
        if not named or own:
            return TRAINING
    own_places = [place for place in reached.places if place.path == start.path]
    if any(place.activity.kind == EXPORTS for place in own_places):
        return EXPORT
    if reached.framework and reached.of_kind(EVALUATES):
        return EVALUATION if named in ("", EVALUATION) else named
    if reached.framework and reached.of_kind(PREDICTS):
        return named or INFERENCE
    if any(place.activity.kind == PREPARES for place in own_places):
        return named or PREPARATION
    return named or OTHER


def _named_kind(path: str) -> str:
    """Return what a program's name says that it does instead of training; else empty."""
    if _names_training(path):
        return ""
    return next((kind for pattern, kind in _WORDS if pattern.search(_stem(path))), "")


def _stem(path: str) -> str:
    *folders, name = path.split("/")
    stem = name.rpartition(".")[0]
    return folders[-1] if stem == "__main__" and folders else stem


# --- its rank, and how it is started -------------------------------------------------------------


def _program(start: _Start, kind: str, files: Files, mentions: Mapping[str, str]) -> Program:
    project = files.project
    score, reasons = _score(start, kind, mentions)
    averages = start.reached.of_kind(AVERAGES)
    module = _module(start, project)
    return Program(
        start.path,
        kind,
        tuple(reasons),
        score,
        module=module,
        folder=_folder(start, project.root),
        search_path=_search_path(start, files, module),
        averages=str(averages[0]) if averages else "",
        files=tuple(start.reached.files),
    )


def _score(start: _Start, kind: str, mentions: Mapping[str, str]) -> tuple[int, list[str]]:
    """Score a program, with the reasons for the score."""
    path = start.path
    score, reasons = _score_of_code(start) if kind == TRAINING else (0, [])
    score += _score_of_name(path)
    *folders, _ = path.split("/")
    if path in mentions:
        score += 2
        reasons.append(f"named in {mentions[path]}")
    elif not _SIDE_FOLDERS.isdisjoint(folder.lower() for folder in folders):
        score -= 3
    if start.how in (_NOTEBOOK, _NAMED_BY_USER):
        reasons.append(start.how)
    elif start.how:
        reasons.append(f"started by {start.how}")
    score -= 3 * (start.imported and not _names_training(path))
    score -= 2 * path.endswith(".ipynb")
    score -= len(folders)
    if start.code.unreadable:
        reasons.append(f"read as text, not parsed: {start.code.unreadable}")
    return score, reasons


def _score_of_code(start: _Start) -> tuple[int, list[str]]:
    path, reached = start.path, start.reached
    done = reached.of_kind(TRAINS) or reached.of_kind(BUILDS)
    if not done:
        return 0, ["called so; no call that trains was found in it"]
    runs = reached.of_kind(RUNS)
    reasons = [f"trains with {', '.join(map(str, _nearest(done, path)))}"]
    if runs:
        reasons.append(f"runs it with {_nearest(runs, path)[0]}")
    own = any(place.path == path for place in (*done, *runs))
    return (4 if own else 3) + bool(runs), reasons


def _score_of_name(path: str) -> int:
    stem = _stem(path)
    if _names_training(path):
        return 4 if stem == "train" else 3
    if _named_kind(path):
        return -3
    return 1 if _MAIN_WORD.search(stem) else 0


def _nearest(places: list[ProgramAction], path: str) -> list[ProgramAction]:
    """Return the first places, those in the program's own file first, each call once."""
    ordered = sorted(places, key=lambda place: place.path != path)
    found: dict[str, ProgramAction] = {}
    for place in ordered:
        found.setdefault(place.activity.text, place)
    return list(found.values())[:_SHOWN]


def _module(start: _Start, project: Project) -> str:
    """Return the dotted name of a program that can only be started as a module."""
    path = start.path
    if not (start.code.relative or path.endswith("/__main__.py")) or not path.endswith(".py"):
        return ""
    top = _package_root(path, project)
    dotted = path[len(top) :].strip("/")[: -len(".py")].replace("/", ".")
    return dotted.removesuffix(".__main__") if dotted.endswith(".__main__") else dotted


def _package_root(path: str, project: Project) -> str:
    """Return the folder that holds the outermost package around a file."""
    folder = path.rpartition("/")[0]
    if not project.has(f"{folder}/__init__.py"):
        return ""
    while folder and project.has(f"{folder}/__init__.py"):
        folder = folder.rpartition("/")[0]
    return folder


def _search_path(start: _Start, files: Files, module: str) -> tuple[str, ...]:
    """Return the folders from which the imports of a program are found, besides root and own."""
    project, own = files.project, start.path.rpartition("/")[0]
    known = {""} if module else {"", own}
    found: dict[str, None] = {}
    if module:
        found[_package_root(start.path, project)] = None
    for path in start.reached.files:
        found.update(dict.fromkeys(files.import_folders(path)))
    return tuple(folder for folder in found if folder not in known)


def _folder(start: _Start, root: Path) -> str:
    """Return the folder in which a program has to run: where the paths in its code lead."""
    own = start.path.rpartition("/")[0]
    if not own:
        return ""
    texts = {text for text in start.code.strings if _is_path(text)}
    below = sum((root / own / text).exists() for text in texts)
    above = sum((root / text).exists() for text in texts)
    return own if below > above else ""


def _is_path(text: str) -> bool:
    return (
        len(text) > 2
        and text.isprintable()
        and not text.startswith(("/", "-", "http"))
        and ("/" in text or "." in text[1:])
    )
