"""Report imports of libraries that need something else on NPUs: one mechanism for all frameworks.

An import is judged by what happens where it fails: a ``try`` that goes on without the library, or
a test whether it is there, make a note of it; an import inside a function stops no program that
does not call it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from ascendify.catalog import libraries, names
from ascendify.rules.kit import (
    CallSite,
    Diagnoses,
    Diagnosis,
    Effort,
    File,
    ImportSite,
    Rule,
    Site,
    Status,
    guards,
    once,
)
from ascendify.source.module import Module
from ascendify.source.nodes import imported_names, position

Works = Callable[[File, str], bool]
_MISSING = frozenset({"no", "other"})
"""States of libraries that cannot be imported on an NPU machine, or only under another name."""
_LOADERS = ("importlib.import_module",)


def rule_for(
    code: str, title: str, framework: str, before: str, works: Works = lambda file, name: False
) -> Rule:
    """A rule that reports the imports of programs of one framework.

    ``works`` says whether the release of a project has a behaviour that a library needs.
    """
    rule = Rule(
        code=code,
        title=title,
        why=(
            "Packages built on CUDA or on NVIDIA's management library cannot be installed, or "
            "find no device, on an NPU machine: the import stops the program. Other libraries "
            "work on NPUs with another package beside them, or from some version on."
        ),
        statuses=(Status.BLOCKER, Status.MANUAL, Status.INFO),
        before=before,
        framework=framework,
    )

    @rule.imports(*(f"{name}.*" for name in libraries.by_import(framework)))
    def report(site: ImportSite) -> Diagnoses:
        """The import of such a library; a note where the program goes on without it."""
        name = libraries.longest(site.name, libraries.by_import(framework))
        if is_local(site.file, site.name) or guards.is_for_types(site.node):
            return
        lines = _other_lines(site, name)
        if lines is not None:
            yield from _report(rule, site, name, works, once.words(lines))

    @rule.call(*_LOADERS)
    def report_loader(site: CallSite) -> Diagnoses:
        """An import with importlib, by a name that is known here."""
        given = site.file.literal(site.node.args[0]) if site.node.args else None
        if given is None or len(given) != 1 or not isinstance(given[0], str):
            return
        module = given[0]
        if module.startswith(".") or is_local(site.file, module):
            return
        name = libraries.longest(module, libraries.by_import(framework))
        if name:
            yield from _report(rule, site, name, works)

    return rule


def is_local(file: File, name: str) -> bool:
    """Whether a dotted name is a module of the project, and not of a library of that name."""
    return file.resolver.project.locate(file.path, name.partition(".")[0]) is not None


def _report(rule: Rule, site: Site, name: str, works: Works, also: str = "") -> Iterator[Diagnosis]:
    library = libraries.by_import(rule.framework)[name]
    if library.behaviour and works(site.file, library.behaviour):
        return
    brings = "" if name.startswith("torch.") else f"brings in {name}, which "
    found = f"{site.brief} {brings}{library.what}"
    guard = guards.guard_of_import(site.node)
    if guard == guards.STOPS and not is_read_at_start(site.file):
        guard = guards.LATER
    status, todo = library.status or Status.INFO, f"{library.todo} {library.setup}".strip()
    cause, effort = name.partition(".")[0], library.effort
    if guard in (guards.CAUGHT, guards.TESTED):
        words = "the program goes on without it"
        if guard == guards.TESTED:
            words = "only where the program finds it"
        yield rule.info(site, f"{found}; {words}", cause=cause)
        return
    if guard == guards.LATER:
        found += "; only when that code runs"
        if status is Status.BLOCKER:
            status, effort = Status.MANUAL, Effort.HOURS
    finding = rule.finding(
        status,
        site,
        f"{found}{also}",
        todo=f"{todo}{switch_words(site.file) if library.inside else ''}",
        effort=effort,
        cause=cause,
    )
    yield replace(finding, raises=library.npu in _MISSING)


def switch_words(file: File) -> str:
    """How to run a library that chooses CUDA in its own code, with the script that starts it."""
    if file.facts.style == "transfer":
        return ""
    scripts = starters(file)
    if file.facts.transfer.intersection(scripts):
        return ""
    script = scripts[0] if scripts else "FILE"
    where = "" if scripts else ", where FILE is the script that starts the program"
    return (
        " CUDA is chosen inside the library: to try it unchanged, migrate with --transfer "
        f"{script}{where}, which imports transfer_to_npu in that script alone."
    )


def is_read_at_start(file: File) -> bool:
    """Whether a program imports the file as it starts, as far as imports show.

    It does not where every file that imports this one does so in a function, behind a condition
    or in a ``try``, or is itself imported in such places only.
    """
    project = file.resolver.project
    seen, border = {file.path}, [file.path]
    while border:
        path = border.pop()
        importers = project.importers(path)
        if path in file.facts.entry_points or not importers:
            return True
        for importer in importers:
            if importer.path not in seen and _imports_at_start(file, importer, path):
                seen.add(importer.path)
                border.append(importer.path)
    return False


def _imports_at_start(file: File, importer: Module, path: str) -> bool:
    """Whether a module imports a file outside of functions, conditions and ``try``."""
    locate = file.resolver.project.locate
    return any(
        guards.guard_of_import(node) == guards.STOPS
        for node in importer.index.imports
        for origin in (*imported_names(node), getattr(node, "module", None) or "")
        if origin and (locate(importer.path, origin) or (None,))[0] == path
    )


def starters(file: File) -> list[str]:
    """The scripts that are this file or import it, over any number of files; nearest first."""
    project, entries = file.resolver.project, file.facts.entry_points
    seen, border, found = {file.path}, [file.path], []
    while border:
        found += sorted(path for path in border if path in entries and path not in found)
        border = [
            path
            for current in border
            for path in project.importer_paths(current)
            if path not in seen and not seen.add(path)  # type: ignore[func-returns-value]  # adds it once
        ]
    return [path for path in found if path.rpartition("/")[2] != "setup.py"]


def _other_lines(site: ImportSite, package: str) -> list[int] | None:
    """Lines that import more of a package; None where an earlier line has the finding.

    Every line that contains "cuda" gets a finding of its own.
    """
    if "cuda" in site.file.text(site.node).lower():
        named = zip(site.node.names, imported_names(site.node))
        of_it = [alias for alias, name in named if _is_part(names.canonical(name), package)]
        return [] if of_it[:1] == [site.alias] else None
    guard = guards.guard_of_import(site.node)
    found = [
        (node, alias)
        for node in site.file.module.index.imports
        if guards.guard_of_import(node) == guard and "cuda" not in site.file.text(node).lower()
        for alias, name in zip(node.names, imported_names(node))
        if _is_part(names.canonical(name), package)
    ]
    first = min(found, key=lambda item: (position(item[0]), item[0].names.index(item[1])))
    is_first = first[0] is site.node and first[1] is site.alias
    lines = {node.lineno for node, _ in found} - {site.node.lineno}
    return sorted(lines) if is_first else None


def _is_part(name: str, package: str) -> bool:
    return f"{name}.".startswith(f"{package}.")
