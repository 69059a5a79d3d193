"""Which TensorFlow is this? The release that each file and the whole project is written for.

A file tells by names that only one release has. One that does not tell is for the release of the
files that imports link it with, else for the one that the nearest folder around it tells of: by the
requirements in it, else by its other files.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Optional

from ascendify.catalog.tensorflow_releases import TF1, TF2, WORDS
from ascendify.migrate.tensorflow_evidence import ReleaseEvidence
from ascendify.migrate.tensorflow_pins import Pin


@dataclass(frozen=True)
class Releases:
    """The release of each file that uses TensorFlow, and why."""

    files: Mapping[str, str] = field(default_factory=dict)
    """Path -> ``tf1`` or ``tf2``."""
    reasons: Mapping[str, str] = field(default_factory=dict)
    """Path -> the reason for its release, for a report."""
    graphs: frozenset[str] = frozenset()
    """Files for TensorFlow 2 that use graphs and sessions of ``compat.v1``."""
    main: str = TF1
    """The release of most of the project."""
    reason: str = ""
    """The reason for the project's release."""

    @property
    def described(self) -> str:
        """The project's release with its reason, and the files that are for the other one."""
        counts = Counter(self.files.values())
        words = f"{WORDS[self.main]}: {self.reason}"
        others = sorted(path for path, release in self.files.items() if release != self.main)
        if others:
            other = next(release for release in counts if release != self.main)
            shown = "; ".join(f"{path}, {self.reasons[path]}" for path in others[:3])
            more = f"; and {len(others) - 3} more" if len(others) > 3 else ""
            words += f". {WORDS[other]} in {len(others)} of {len(self.files)} files: {shown}{more}"
        if self.graphs:
            words += f". compat.v1 with graphs and sessions in {_listed(sorted(self.graphs))}"
        return words


def _listed(paths: list[str]) -> str:
    return ", ".join(paths[:3]) + (f" and {len(paths) - 3} more" if len(paths) > 3 else "")


def decide(
    evidence: Mapping[str, ReleaseEvidence],
    pins: Iterable[Pin] = (),
    requested: str = "",
    where: str = "",
    imported_by: Mapping[str, Iterable[str]] = MappingProxyType({}),
) -> Releases:
    """Decide the release of every file, from the evidence of all or as the user chose."""
    if requested:
        reason = f"{where or '--framework'} says so"
        files = dict.fromkeys(evidence, requested)
        reasons = dict.fromkeys(evidence, reason)
        main: tuple[str, str] = requested, reason
    else:
        votes = _Votes(evidence, pins, imported_by)
        decided = {path: votes.of(path) for path in sorted(evidence)}
        files = {path: release for path, (release, _) in decided.items()}
        reasons = {path: reason for path, (_, reason) in decided.items()}
        main = votes.main(decided)
    graphs = frozenset(
        path for path, found in evidence.items() if found.graph and files[path] == TF2
    )
    return Releases(files, reasons, graphs, *main)


_SEVERAL = 3
"""As many names, or files, are no accident."""


class _Votes:
    """The releases that files and requirements ask for, folder by folder."""

    def __init__(
        self,
        evidence: Mapping[str, ReleaseEvidence],
        pins: Iterable[Pin],
        imported_by: Mapping[str, Iterable[str]],
    ) -> None:
        self.evidence = evidence
        self._pins: dict[str, list[Pin]] = {}
        for pin in pins:
            self._pins.setdefault(pin.folder, []).append(pin)
        self._sure: dict[str, Counter[str]] = {}
        self._leaning: dict[str, Counter[str]] = {}
        self._examples: dict[tuple[str, str], str] = {}
        for path, found in evidence.items():
            release = found.release
            leaning = TF1 if found.compat else TF2 if found.modern else ""
            for folder in _folders(path):
                if release:
                    self._sure.setdefault(folder, Counter())[release] += 1
                    said = f"{path} uses {found.reason}, which only {WORDS[release]} has"
                    self._examples.setdefault((folder, release), said)
                elif leaning:
                    self._leaning.setdefault(folder, Counter())[leaning] += 1
                    said = f"{path} has {found.compat or found.modern}"
                    self._examples.setdefault((folder, f"{leaning}?"), said)
        telling = {path: found.release for path, found in evidence.items() if self._tells(path)}
        self._linked = _spread(telling, imported_by)

    def _tells(self, path: str) -> bool:
        """Whether a file says by itself which release it is for.

        Where requirements and most files are for the other release, what one file uses besides is
        left over from a port, or stands behind a look at the version. Where as many files name
        each release, the style of those that name neither counts.
        """
        nearest = self._nearest(path)
        required = None if nearest is None else self._by_requirement(nearest)
        most = None if nearest is None else self._by_names(nearest) or self._by_style(nearest)
        agreed = required is not None and most is not None and required[0] == most[0]
        return bool(self.evidence[path].release) and not agreed

    def _nearest(self, path: str) -> Optional[str]:
        """The nearest folder around a file that has requirements."""
        return next((folder for folder in _folders(path) if folder in self._pins), None)

    def of(self, path: str) -> tuple[str, str]:
        """The release of a file, and why."""
        if self._tells(path):
            return self.evidence[path].release, f"it uses {self.evidence[path].reason}"
        nearest = self._nearest(path)
        required = None if nearest is None else self._by_requirement(nearest)
        linked = self._by_links(path)
        if linked is not None and (required is None or not self.evidence[path].release):
            return linked
        folders = _folders(path)
        inside = folders if nearest is None else folders[: folders.index(nearest) + 1]
        return required or self._around(inside) or self._around(folders) or (TF1, _UNTOLD)

    def _by_links(self, path: str) -> Optional[tuple[str, str]]:
        """What the files say that it imports, or that import it."""
        if path not in self._linked:
            return None
        release, other = self._linked[path]
        reason = self.evidence[other].reason
        return release, f"imports link it with {other}, which uses {reason}"

    def _around(self, folders: list[str]) -> Optional[tuple[str, str]]:
        """The release of most files in the nearest folder that has a majority."""
        telling = [folder for folder in folders if self._total(folder) >= _SEVERAL]
        votes = (
            *map(self._by_names, telling),
            *map(self._by_names, folders),
            *map(self._by_style, folders),
        )
        return next(filter(None, votes), None)

    def _by_requirement(self, folder: str) -> Optional[tuple[str, str]]:
        here = [pin for pin in self._pins.get(folder, []) if pin.release]
        if len({pin.release for pin in here}) == 1:
            return here[0].release, here[0].reason
        return None

    def _by_names(self, folder: str) -> Optional[tuple[str, str]]:
        return self._most(self._sure.get(folder), folder)

    def _by_style(self, folder: str) -> Optional[tuple[str, str]]:
        return self._most(self._leaning.get(folder), folder, "?")

    def _total(self, folder: str) -> int:
        return sum(self._sure.get(folder, Counter[str]()).values())

    def _most(
        self, counts: Optional[Counter[str]], folder: str, mark: str = ""
    ) -> Optional[tuple[str, str]]:
        release = _most_common(counts or Counter())
        return (release, self._examples[folder, release + mark]) if release else None

    def main(self, decided: Mapping[str, tuple[str, str]]) -> tuple[str, str]:
        """The release of most files, and why; where as many are for each, that of the project."""
        project = self._by_requirement("") or self._by_names("") or self._by_style("")
        release = _most_common(Counter(release for release, _ in decided.values()))
        if not release or (project is not None and project[0] == release):
            return project or (TF1, _UNTOLD)
        reasons = (reason for each, reason in decided.values() if each == release)
        return release, self._examples.get(("", release)) or next(reasons)


def _spread(
    telling: Mapping[str, str], imported_by: Mapping[str, Iterable[str]]
) -> dict[str, tuple[str, str]]:
    """The release of files that do not tell, from those that do, along the imports between them.

    Each file goes with most of those it imports or that import it, beginning next to the files that
    tell. One that stands between as many of each goes with neither. The second value is the file
    that the release comes from.
    """
    beside: dict[str, set[str]] = {}
    for path, importers in imported_by.items():
        for importer in importers:
            beside.setdefault(path, set()).add(importer)
            beside.setdefault(importer, set()).add(path)
    found = {path: (release, path) for path, release in telling.items()}
    newest = set(found)
    while newest:
        reached: dict[str, tuple[str, str]] = {}
        for path in {other for each in newest for other in beside.get(each, ())} - set(found):
            known = [found[other] for other in sorted(beside[path]) if other in found]
            release = _most_common(Counter(each for each, _ in known))
            if release:
                reached[path] = next(each for each in known if each[0] == release)
        found.update(reached)
        newest = set(reached)
    return {path: each for path, each in found.items() if path not in telling}


def _most_common(counts: Counter[str]) -> str:
    """The value with the highest count; empty where there is none or more than one."""
    common = counts.most_common(2)
    if not common or (len(common) > 1 and common[0][1] == common[1][1]):
        return ""
    return common[0][0]


_UNTOLD = (
    "nothing in the project tells the releases apart, so it is taken for the older one; "
    "--framework names another"
)


def _folders(path: str) -> list[str]:
    """The folders around a file, the nearest first; the project itself is ``""``."""
    parts = path.split("/")[:-1]
    return ["/".join(parts[:end]) for end in range(len(parts), -1, -1)]
