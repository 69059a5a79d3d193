"""Rule: what a rule declares, and the handlers that turn a match into diagnoses.

A rule module holds one ``RULE`` and decorates its handlers with what they fire on::

    RULE = Rule(code="TF1-SESS-1", title=..., why=..., statuses=(Status.AUTO,), ...)

    @RULE.call("tf.Session", "tf.InteractiveSession")
    def wrap_config(site: CallSite) -> Iterator[Diagnosis]: ...

Names are canonical dotted names; ``tf.contrib.cudnn_rnn.*`` matches everything below. A method is
named by the class that declares it: ``tf.data.Dataset.batch``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Callable

from ascendify.findings import Finding, RuleInfo, Status
from ascendify.rules.fix import Changes

if TYPE_CHECKING:
    from ascendify.rules.site import (
        CallSite,
        File,
        FunctionSite,
        ImportSite,
        MethodSite,
        Site,
        TextSite,
    )

Handler = Callable[[Any], Iterable["Diagnosis"]]
Where = Callable[[ast.Attribute], bool]


@dataclass(frozen=True)
class Diagnosis:
    """A finding and, where the rule can mend it, the fix that does."""

    finding: Finding
    fix: Changes | None = None


@dataclass(frozen=True)
class Trigger:
    """One thing a rule fires on."""

    event: str
    """call, guess, method, reference, store, import, function, file, text."""
    pattern: str
    handler: Handler
    where: Where | None = None
    """For methods: what the attribute must look like; inference is not asked elsewhere."""


@dataclass(frozen=True)
class Rule:
    """One rule. Everything a reader of ``ascendify rule CODE`` sees stands here."""

    code: str
    title: str
    """One line, imperative: what the rule makes true."""
    why: str
    """What goes wrong on an NPU without it."""
    statuses: tuple[Status, ...]
    before: str = ""
    """A small example of what it finds."""
    after: str = ""
    """What the example becomes; empty when the rule only tells."""
    safety: str = ""
    """How the rewritten code may behave differently; empty when it does not."""
    framework: str = ""
    """For rules about what programs of every framework have, such as variables and commands.

    They are asked only where this is the main framework, of a Python file or of the project.
    """
    last: bool = False
    """Whether it is asked when no other rule has anything left to change, about that text."""
    triggers: list[Trigger] = field(default_factory=list, repr=False, compare=False)

    def info(self, family: str) -> RuleInfo:
        """What reports say about the rule."""
        return RuleInfo(self.code, self.title, self.why, family, self.statuses)

    def call(self, *names: str) -> Callable[[_On[CallSite]], _On[CallSite]]:
        """Fire on calls of these names."""
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
        """Fire on every mention of these names that is read: called, passed on, inherited from."""
        return self._on("reference", names)

    def store(self, *names: str) -> Callable[[_On[Site]], _On[Site]]:
        """Fire on assignments to attributes, named by the class of the object."""
        return self._on("store", names)

    def imports(self, *names: str) -> Callable[[_On[ImportSite]], _On[ImportSite]]:
        """Fire on import statements that bring in these modules or names."""
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


if TYPE_CHECKING:
    from typing import TypeVar

    _T = TypeVar("_T")
    _On = Callable[[_T], Iterable[Diagnosis]]
