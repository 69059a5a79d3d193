"""Rule: what a rule declares, and the handlers that turn a match into diagnoses.

A rule module holds one ``RULE`` and decorates its handlers with what they fire on::

    RULE = Rule(code="TF1-SESS-1", title=..., why=..., statuses=(Status.AUTO,), ...)

    @RULE.call("tf.Session", "tf.InteractiveSession")
    def wrap_config(site: CallSite) -> Iterator[Diagnosis]:
        yield RULE.auto(site, "what was found", done="what the fix does", fix=fix)

Names are canonical dotted names; ``tf.contrib.cudnn_rnn.*`` matches everything below. A method is
named by the class that declares it: ``tf.data.Dataset.batch``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Callable, Protocol

from ascendify.findings import Effort, Finding, RuleInfo, Span, Status
from ascendify.rules.fix import Changes

if TYPE_CHECKING:
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

Handler = Callable[[Any], Iterable["Diagnosis"]]
Where = Callable[[ast.Attribute], bool]


class Located(Protocol):
    """Anything a finding can point at: a site, a file, or what their ``at()`` returns."""

    @property
    def path(self) -> str:
        """POSIX path relative to the project root."""

    @property
    def span(self) -> Span:
        """The range in that file."""


@dataclass(frozen=True)
class Diagnosis:
    """A finding and, where the rule can mend it, the fix that does."""

    finding: Finding
    fix: Changes | None = None
    raises: bool | None = None
    """Whether the code raises an error on an NPU; None: what its rule says of all."""

    def as_possible(self) -> Diagnosis:
        """Return the finding marked as possible, for a subject that is not certain.

        A possible blocker becomes a manual finding, because a person must look first.
        """
        finding = replace(self.finding, possible=True)
        if finding.status is Status.BLOCKER:
            finding = replace(finding, status=Status.MANUAL)
        return replace(self, finding=finding)


@dataclass(frozen=True)
class Trigger:
    """One kind of code that a rule matches."""

    event: str
    """call, guess, method, reference, store, import, function, file, text."""
    pattern: str
    handler: Handler
    where: Where | None = None
    """For methods: a test of the attribute; its object is inferred only if the test holds."""


@dataclass(frozen=True)
class Rule:
    """One rule, with everything that ``ascendify rule CODE`` prints."""

    code: str
    title: str
    """One imperative line: what the rule achieves."""
    why: str
    """What goes wrong on an NPU without it."""
    statuses: tuple[Status, ...]
    before: str = ""
    """A small example of code that the rule matches."""
    after: str = ""
    """The example after the rewrite; empty when the rule only reports."""
    safety: str = ""
    """How the rewritten code may behave differently; empty when it does not."""
    framework: str = ""
    """For rules about what programs of every framework have, such as variables and commands.

    It runs only where this is the main framework, of a Python file or of the project.
    """
    foretells: tuple[str, ...] = ()
    """Codes of the findings of a strict run that its manual findings tell beforehand."""
    raises: bool = False
    """Whether code with a manual finding raises an error on an NPU when it is executed; code with a
    blocker always does."""
    last: bool = False
    """Whether it runs on the final text, when no other rule has anything left to change."""
    requested: Callable[[Facts], bool] | None = field(default=None, repr=False, compare=False)
    """For rules that do nothing unless the user or the project asks for it: whether it does."""
    triggers: list[Trigger] = field(default_factory=list, repr=False, compare=False)

    def summary(self, family: str) -> RuleInfo:
        """The part of the rule that reports show."""
        return RuleInfo(self.code, self.title, self.why, family, self.statuses, self.foretells)

    def auto(self, at: Located, found: str, *, done: str, fix: Changes) -> Diagnosis:
        """Report a fix that does not change behaviour."""
        return self.finding(Status.AUTO, at, found, done=done, fix=fix)

    def auto_check(
        self,
        at: Located,
        found: str,
        *,
        done: str,
        todo: str,
        effort: Effort | None = None,
        fix: Changes,
    ) -> Diagnosis:
        """Report a fix that a person should check, as ``todo`` says."""
        return self.finding(
            Status.AUTO_CHECK, at, found, done=done, todo=todo, effort=effort, fix=fix
        )

    def fixed(self, at: Located, found: str, *, done: str, todo: str, fix: Changes) -> Diagnosis:
        """Report a rewrite: ``auto_check`` where there is something to check, else ``auto``."""
        status = Status.AUTO_CHECK if todo else Status.AUTO
        return self.finding(status, at, found, done=done, todo=todo, fix=fix)

    def manual(
        self,
        at: Located,
        found: str,
        *,
        todo: str,
        effort: Effort = Effort.MINUTES,
        cause: str = "",
        fix: Changes | None = None,
        raises: bool | None = None,
    ) -> Diagnosis:
        """Report what a person must do; a report joins findings of one cause.

        ``raises`` says of this place what ``Rule.raises`` says of all of a rule.
        """
        diagnosis = self.finding(
            Status.MANUAL, at, found, todo=todo, effort=effort, cause=cause, fix=fix
        )
        return replace(diagnosis, raises=raises)

    def blocker(
        self,
        at: Located,
        found: str,
        *,
        todo: str,
        effort: Effort = Effort.REWRITE,
        cause: str = "",
    ) -> Diagnosis:
        """Report code that cannot run on an NPU until a person redesigns it."""
        return self.finding(Status.BLOCKER, at, found, todo=todo, effort=effort, cause=cause)

    def info(self, at: Located, found: str, *, todo: str = "", cause: str = "") -> Diagnosis:
        """Report something worth knowing that needs no change."""
        return self.finding(Status.INFO, at, found, todo=todo, cause=cause)

    def finding(
        self,
        status: Status,
        at: Located,
        found: str,
        *,
        done: str = "",
        todo: str = "",
        effort: Effort | None = None,
        cause: str = "",
        fix: Changes | None = None,
    ) -> Diagnosis:
        """Report with a status that is computed; the methods above say it in their names."""
        if effort is None:
            effort = _EFFORT[status]
        finding = Finding(
            self.code, status, at.path, at.span, found, done, todo, effort, cause=cause
        )
        return Diagnosis(finding, fix)

    def call(self, *names: str) -> Callable[[_On[CallSite]], _On[CallSite]]:
        """Run the handler on calls of these names."""
        return self._on("call", names)

    def guess(self, *methods: str) -> Callable[[_On[CallSite]], _On[CallSite]]:
        """Fire on ``x.method(...)`` where nothing at all is known about ``x``.

        The site's name is the method's; whatever the handler says is reported as possible.
        """
        return self._on("guess", methods)

    def method(
        self, *names: str, where: Where | None = None
    ) -> Callable[[_On[MethodSite]], _On[MethodSite]]:
        """Fire on ``x.name``, called or not, where ``x`` may be an object of the framework.

        That is everywhere but where ``x`` is known to be something else. What the handler says is
        taken as it is: ``site.known`` tells how sure inference was, and the handler decides.
        """
        return self._on("method", names, where)

    def reference(self, *names: str) -> Callable[[_On[Site]], _On[Site]]:
        """Run the handler on every use of these names: called, passed on, or inherited from."""
        return self._on("reference", names)

    def store(self, *names: str) -> Callable[[_On[Site]], _On[Site]]:
        """Fire on assignments to attributes, named by the class of the object."""
        return self._on("store", names)

    def imports(self, *names: str) -> Callable[[_On[ImportSite]], _On[ImportSite]]:
        """Run the handler on import statements for these modules or names."""
        return self._on("import", names)

    def function(self, handler: _On[FunctionSite]) -> _On[FunctionSite]:
        """Fire on every function and lambda of a file."""
        self._on("function", ("",))(handler)
        return handler

    def file(self, handler: _On[File]) -> _On[File]:
        """Fire once on every file that uses a framework."""
        self._on("file", ("",))(handler)
        return handler

    def text(self, *kinds: str) -> Callable[[_On[TextSite]], _On[TextSite]]:
        """Fire on files that are not Python, by kind; see :class:`TextSite`."""
        return self._on("text", kinds)

    def _on(
        self, event: str, patterns: tuple[str, ...], where: Where | None = None
    ) -> Callable[[Any], Any]:
        def register(handler: Any) -> Any:
            self.triggers.extend(Trigger(event, pattern, handler, where) for pattern in patterns)
            return handler

        return register


_EFFORT = {
    Status.BLOCKER: Effort.REWRITE,
    Status.MANUAL: Effort.HOURS,
    Status.AUTO_CHECK: Effort.MINUTES,
    Status.AUTO: Effort.NONE,
    Status.INFO: Effort.NONE,
}
"""Status -> the effort of a finding, unless the rule states one."""

if TYPE_CHECKING:
    from typing import TypeVar

    _T = TypeVar("_T")
    _On = Callable[[_T], Iterable[Diagnosis]]
