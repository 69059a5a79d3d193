"""Analyse one file: walk its index once, resolve names, call the handlers that match."""

from __future__ import annotations

import ast
import re
import traceback
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Union

from ascendify.findings import Effort, Finding, Span, Status
from ascendify.migrate import embedded_commands, stops
from ascendify.rules.registry import Dispatch, checks, covers
from ascendify.rules.rule import Diagnosis, Handler, Rule
from ascendify.rules.site import (
    CallSite,
    Facts,
    File,
    FunctionSite,
    ImportSite,
    MethodSite,
    Site,
    TextSite,
)
from ascendify.source.edits import Edit
from ascendify.source.inference.resolver import Resolver
from ascendify.source.module import Module
from ascendify.source.values import UNKNOWN, Const, Instance, Member, Object, Ref, Value

CRASH_CODE = "ASCENDIFY"
"""The code of findings about the tool itself."""
_ALIASES = (ast.Attribute, ast.Name, ast.IfExp)
"""Values whose assignment makes a variable another name for something."""
_SKIP = re.compile(r"#\s*ascendify:\s*skip(?:\[([^\]]*)\])?", re.I)

Event = tuple[Rule, Handler, Any]
"""A place that matches a rule: the rule, its handler, and the site to call it with."""


@dataclass
class Analysis:
    """The findings of all rules for one file, and what else they recorded."""

    diagnoses: list[Diagnosis] = field(default_factory=list)
    apis: dict[str, list[int]] = field(default_factory=dict)
    """Names of the frameworks that the file uses, each with the lines of its uses."""


class Analyser:
    """Run the chosen rules over files of one project."""

    def __init__(self, resolver: Resolver, dispatch: Dispatch, facts: Facts) -> None:
        self.resolver = resolver
        self.dispatch = dispatch
        self.facts = facts

    def has_last(self, file: File) -> bool:
        """Whether there are rules that run after all others have finished."""
        return any(not self.dispatch.of(name, last=True).is_empty for name in file.frameworks)

    def python(self, module: Module, last: bool = False) -> Analysis:
        """Analyse a parsed Python file: with the usual rules, or with those that run after them."""
        file = File(module, self.resolver, self.facts)
        analysis = Analysis()
        module.index  # noqa: B018 - the walk that marks parents and scopes, before any rule runs
        for framework in file.frameworks:
            dispatch = self.dispatch.of(framework, last)
            if not (last and dispatch.is_empty):
                self._look(file, framework, dispatch, analysis)
        if not last and file.platform == "torch":
            for site in embedded_commands.of_python(file, file.facts):
                known = _edits(analysis.diagnoses)
                found = self._commands(site)
                analysis.diagnoses.extend(
                    item
                    for item in found
                    if not any(new.overlaps(edit) for new in _edits([item]) for edit in known)
                )
        analysis.diagnoses = _unsuppressed(analysis.diagnoses, module.source.text)
        return analysis

    def _look(self, file: File, framework: str, dispatch: Dispatch, analysis: Analysis) -> None:
        """Run the rules of one framework."""
        events = _Events(file, dispatch, self.resolver)
        platform = file.platform
        for rule, handler, site in events.all(analysis):
            if rule.framework and rule.framework != platform:
                continue
            certain = getattr(site, "certain", True)
            for diagnosis in _guarded(rule, handler, site, file.path, file):
                for check in checks(framework):
                    diagnosis = check(diagnosis, file, site)  # noqa: PLW2901
                diagnosis = stops.in_python(rule, diagnosis, file)  # noqa: PLW2901
                analysis.diagnoses.append(diagnosis if certain else _as_possible(diagnosis))

    def text(self, site: TextSite) -> Analysis:
        """Analyse a file that is not Python."""
        analysis = Analysis()
        for rule, handler in self._of_kind(site.kind):
            found = _guarded(rule, handler, site, site.path)
            analysis.diagnoses.extend(stops.in_text(rule, item) for item in found)
        for commands in embedded_commands.of_text(site):
            analysis.diagnoses.extend(self._commands(commands, site.kind))
        analysis.diagnoses = _unsuppressed(analysis.diagnoses, site.text)
        return analysis

    def _of_kind(self, kind: str) -> list[tuple[Rule, Handler]]:
        """The handlers that look at texts of a kind in this project."""
        frameworks = ("", self.facts.platform)
        found = self.dispatch.handlers("text", kind)
        return [(rule, handler) for rule, handler in found if rule.framework in frameworks]

    def _commands(self, site: TextSite, kind: str = "") -> list[Diagnosis]:
        """Ask the rules for scripts about commands inside a file, but those that read it whole."""
        done = {handler for _, handler in self._of_kind(kind)}
        found: list[Diagnosis] = []
        for rule, handler in self._of_kind("shell"):
            if handler not in done:
                diagnoses = _guarded(rule, handler, site, site.path)
                found.extend(stops.in_text(rule, item) for item in diagnoses)
        return found if site.script is None else embedded_commands.placed(site.script, found)


class _Events:
    """Every place in a file that matches a rule of one framework."""

    def __init__(self, file: File, dispatch: Dispatch, resolver: Resolver) -> None:
        self.file = file
        self.dispatch = dispatch
        self.resolver = resolver
        self._names: dict[ast.expr, Iterable[tuple[str, bool]]] = {}
        """Names found for references; those of called functions are needed twice."""
        self._references_are_named = False
        """Whether references without names there have none that a rule may want."""

    @cached_property
    def lasts(self) -> frozenset[str]:
        """Last components of names that rules match in this file; none for rules that run last."""
        return self.dispatch.lasts(self.file.module.words)

    def all(self, analysis: Analysis) -> Iterator[Event]:
        """Every event; mentions of the framework are noted in the analysis on the way."""
        events = self.dispatch.events
        for rule, handler in self.dispatch.handlers("file"):
            yield rule, handler, self.file
        if "import" in events:
            yield from self._imports()
        if "function" in events:
            yield from self._functions()
        if "reference" in events or "method" in events:
            yield from self._references(analysis)
        if "call" in events or "guess" in events:
            yield from self._calls()
        if "store" in events:
            yield from self._stores()

    def _functions(self) -> Iterator[Event]:
        handlers = self.dispatch.handlers("function")
        for function in self.file.module.index.functions:
            for rule, handler in handlers:
                yield rule, handler, FunctionSite(self.file, function)

    def _references(self, analysis: Analysis) -> Iterator[Event]:
        methods, lasts = self.dispatch.methods, self.lasts
        index = self.file.module.index
        imported, stars = index.imported, bool(index.stars)
        self._references_are_named = True
        for reference in index.references:
            if reference.__class__ is ast.Attribute:
                attr = reference.attr
                if attr in methods and any(where(reference) for where in methods[attr]):
                    yield from self._method(reference)
                if not (attr in lasts or stars or _root_name(reference) in imported):
                    # of ten attributes nine; the loop is spared the call
                    continue
            elif not (stars or reference.id in imported) or not _is_imported(reference):  # type: ignore[attr-defined]  # a chain or a name
                # a variable: what it was given is a reference of its own
                continue
            names = self._names[reference] = self._interesting(reference)
            for name, certain in names:
                if certain:
                    analysis.apis.setdefault(name, []).append(reference.lineno)
                for rule, handler in self.dispatch.handlers("reference", name):
                    yield rule, handler, Site(self.file, reference, name, certain)

    def _method(self, node: ast.Attribute) -> Iterator[Event]:
        """An attribute of something that may be an object of the framework."""
        known, sure, foreign = self._owner(node)
        if known is None and sure:
            return
        found = known if sure else None
        handlers = self.dispatch.handlers("method", node.attr)
        for where, (rule, handler) in zip(self.dispatch.methods[node.attr], handlers):
            if where(node):
                yield rule, handler, MethodSite(self.file, node, node.attr, not foreign, found)

    def _owner(self, node: ast.Attribute) -> tuple[str | None, bool, bool]:
        """The attribute's canonical name; whether all it may be is known; or is not it."""
        known, sure, foreign = None, True, False
        for value in self.resolver.infer(self.file.module, node.value):
            if isinstance(value, Const) and value.value is None:
                # not there yet, or no longer: no rule can match it then
                continue
            kinds = self._kinds(value, node.attr)
            ours = [kind for kind in kinds if kind.partition(".")[0] in self.dispatch.roots]
            if ours:
                known = self.resolver.knowledge.member(f"{ours[0]}.{node.attr}")
            elif kinds:
                foreign = True
            else:
                sure = False
        return known, sure, foreign

    def _kinds(self, value: Value, attr: str) -> tuple[str, ...]:
        """The classes a value's attribute may come from; empty when nobody knows."""
        if isinstance(value, Instance):
            return (value.kind,)
        if isinstance(value, Object):
            if self.resolver.defines(value.cls, attr):
                return ("project",)
            return self.resolver.external_bases(value.cls)
        if isinstance(value, Ref):
            # an attribute of a module or class is a reference, not a method
            outside = value.name.partition(".")[0] not in self.dispatch.roots
            return () if outside else ("module",)
        if isinstance(value, Member) and not self.resolver.knowledge.known(value.name):
            # an attribute somebody gave an object of the framework: a registered buffer
            return ()
        return () if value is UNKNOWN else ("other",)

    def _calls(self) -> Iterator[Event]:
        guessed = self.dispatch.guessed
        for call in self.file.module.index.calls:
            func = call.func
            for name, certain in self._called(func):
                for rule, handler in self.dispatch.handlers("call", name):
                    yield rule, handler, CallSite(self.file, call, name, certain)
            if isinstance(func, ast.Attribute) and func.attr in guessed:
                for rule, handler in self.dispatch.handlers("guess", func.attr):
                    if _unknown(self.file, func):
                        yield rule, handler, CallSite(self.file, call, func.attr, False)

    def _called(self, func: ast.expr) -> Iterable[tuple[str, bool]]:
        """Names of what is called."""
        names = self._names.get(func)
        if names is None:
            nameless = self._references_are_named and func.__class__ is ast.Attribute
            names = () if nameless else self._interesting(func)
        return names

    def _stores(self) -> Iterator[Event]:
        for store in self.file.module.index.stores:
            if store.attr in self.lasts:
                names, certain = self.file.names(store)
                for name in names:
                    for rule, handler in self.dispatch.handlers("store", name):
                        yield rule, handler, Site(self.file, store, name, certain)

    def _imports(self) -> Iterator[Event]:
        for node in self.file.module.index.imports:
            yield from self._import(node)

    def _import(self, node: Union[ast.Import, ast.ImportFrom]) -> Iterator[Event]:
        canonical = self.resolver.knowledge.canonical
        for alias in node.names:
            origin = alias.name
            if isinstance(node, ast.ImportFrom):
                if node.level:
                    continue
                origin = f"{node.module}.{alias.name}"
            name = canonical(origin, self.file.path)
            if name.partition(".")[0] not in self.dispatch.roots:
                continue
            seen: set[Handler] = set()
            for candidate in (name, name + ".*"):
                for rule, handler in self.dispatch.handlers("import", candidate):
                    if handler not in seen:
                        seen.add(handler)
                        yield rule, handler, ImportSite(self.file, node, name, True, alias)

    def _interesting(self, node: ast.expr) -> Iterable[tuple[str, bool]]:
        """Dotted names of an expression, computed only where a rule may want them.

        A chain that starts at an import of a package without rules is passed over; anything
        that does not start at an import is inferred only if a rule matches its last component, or
        when it is a variable that holds another name (``optimizer = tf.train.AdamOptimizer``).
        """
        root: ast.expr = node
        while root.__class__ is ast.Attribute:
            root = root.value
        dispatch, index = self.dispatch, self.file.module.index
        if root.__class__ is ast.Name:
            name: str = root.id
            if name in index.imported:
                spelled = self.resolver.spelled(self.file.module, node)
                if spelled is not None:
                    wanted = spelled.partition(".")[0] in dispatch.roots
                    return ((spelled, True),) if wanted else ()
            matched = getattr(node, "attr", name) in self.lasts
            if not matched and node is not root and name not in index.imported and not index.stars:
                return ()
            scope = root.scope.find(name)  # type: ignore[attr-defined]  # set by the walk
            if scope is None:
                if not index.stars:
                    return ()
            else:
                bindings = scope.bindings[name]
                if bindings[0].kind == "import":
                    if not matched and not self.resolver.leads_outside(self.file.module, node):
                        return ()
                elif not matched and not (
                    node is root and any(item.value.__class__ in _ALIASES for item in bindings)
                ):
                    return ()
        elif getattr(node, "attr", "") not in self.lasts:
            return ()
        names, certain = self.file.names(node)
        return [(name, certain and len(names) == 1) for name in names]


def _root_name(chain: Any) -> str:
    """The name that an attribute chain starts with; empty for another expression."""
    while chain.__class__ is ast.Attribute:
        chain = chain.value
    name: str = chain.id if chain.__class__ is ast.Name else ""
    return name


def _is_imported(node: Any) -> bool:
    scope = node.scope.find(node.id)
    return scope is None or scope.bindings[node.id][0].kind == "import"


def _edits(diagnoses: list[Diagnosis]) -> list[Edit]:
    return [edit for item in diagnoses for edit in (item.fix.edits if item.fix is not None else ())]


def _guarded(
    rule: Rule, handler: Handler, site: Any, path: str, file: File | None = None
) -> Iterable[Diagnosis]:
    """Run one handler; a crash becomes a finding and loses nothing else."""
    try:
        return list(handler(site))
    except Exception:
        last = traceback.format_exc().strip().splitlines()[-1]
        finding = Finding(
            code=rule.code,
            status=Status.MANUAL,
            path=path,
            span=_site_span(file, site),
            found=f"the rule {rule.code} failed here: {last}",
            todo=f"Check this place by hand for: {rule.title}. Please report the failure.",
            effort=Effort.MINUTES,
        )
        return [Diagnosis(finding)]


def _site_span(file: File | None, site: Any) -> Span:
    node = getattr(site, "node", None)
    if file is None or not isinstance(node, ast.AST) or not hasattr(node, "lineno"):
        return Span()
    return file.at(node).span


def _as_possible(diagnosis: Diagnosis) -> Diagnosis:
    """A rewrite that inference is not sure about becomes a question to the user."""
    finding = diagnosis.finding
    if not finding.status.rewrites and (diagnosis.fix is None or diagnosis.fix.provisional):
        if finding.status is Status.BLOCKER:
            # what may not even be there cannot block
            finding = replace(finding, status=Status.MANUAL, effort=Effort.MINUTES)
        return replace(diagnosis, finding=replace(finding, possible=True))
    return Diagnosis(
        replace(
            finding,
            status=Status.MANUAL,
            possible=True,
            done="",
            todo="Left as it is, because the type is not certain. Where it is, the tool writes: "
            + finding.done
            + (f" {finding.todo}" if finding.todo else ""),
            effort=Effort.MINUTES,
        )
    )


def _unknown(file: File, func: ast.Attribute) -> bool:
    values = file.resolver.infer(file.module, func)
    return all(not isinstance(value, (Ref, Member)) for value in values) and any(
        value is UNKNOWN for value in values
    )


def _unsuppressed(diagnoses: list[Diagnosis], text: str) -> list[Diagnosis]:
    """Drop findings that a ``# ascendify: skip[CODE]`` comment on their line suppresses."""
    if "ascendify:" not in text:
        return diagnoses
    skips: dict[int, tuple[str, ...]] = {}
    for number, line in enumerate(re.split(r"\r\n|\r|\n", text), 1):
        match = _SKIP.search(line)
        if match is not None:
            named = match[1] or ""
            skips[number] = tuple(code.strip().upper() for code in named.split(",") if code.strip())

    def kept(diagnosis: Diagnosis) -> bool:
        span = diagnosis.finding.span
        for line in {span.line, span.end_line}:
            codes = skips.get(line)
            if codes is not None and (
                not codes or any(covers(code, diagnosis.finding.code) for code in codes)
            ):
                return False
        return True

    return [diagnosis for diagnosis in diagnoses if kept(diagnosis)]
