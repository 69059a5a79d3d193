"""Remove variables that only GPU software reads from programs and launch scripts.

One mechanism for every framework: the catalogue says which variables those are and what an NPU has
instead. A rule of a framework declares its code and which files it looks at.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import Optional

from ascendify.catalog import gpu_variables
from ascendify.catalog.gpu_variables import GpuVariable
from ascendify.rules.kit import Changes, Diagnoses, Diagnosis, File, Rule, Site, Status, TextSite
from ascendify.rules.kit.environment import CHANGES, REFERENCES, VariableUse, use_at
from ascendify.rules.kit.removal import is_pure, remove
from ascendify.rules.kit.statements import lone_call
from ascendify.rules.shell import _removal, _script
from ascendify.rules.shell._script import Assignment, Command
from ascendify.source.edits import Edit
from ascendify.source.scopes import parent, statement

_Lookup = Callable[[str], Optional[GpuVariable]]
_WHY = (
    "Settings of CUDA, cuBLAS, cuDNN, NCCL and Horovod have no reader on an NPU machine. Left in "
    "place they make people believe that something is set which is not"
)
_WHY_ALSO = {
    "tensorflow": ", and TF_XLA_FLAGS may switch XLA on, which takes operators away from the NPU."
}
_REPORTS_READS = frozenset({"torch"})
"""Frameworks for which reads of such a variable are reported too."""


def rule_for(
    code: str,
    title: str,
    framework: str,
    before: str,
    after: str = "",
    in_files: bool = False,
) -> Rule:
    """A rule that removes these variables for one framework; ``in_files``: in scripts too.

    Where a file has them in braces or a list on one line, a person removes them.
    """
    manual = (Status.MANUAL,) if in_files else ()
    return Rule(
        code=code,
        title=title,
        why=_WHY + _WHY_ALSO.get(framework, "."),
        statuses=(Status.AUTO, Status.AUTO_CHECK, *manual, Status.INFO),
        before=before,
        after=after,
        framework=framework,
    )


def _advice(variable: GpuVariable, framework: str, value: object) -> tuple[str, str]:
    """What to add after "Removed ...", and what the user must check; one of them is empty.

    A value of 0 switched something off, which needs no replacement.
    """
    advice = "" if value == "0" else variable.instead(framework)
    if variable.check:
        return "", advice
    return (f" {advice}" if advice else ""), ""


# --- programs --------------------------------------------------------------------------------


def in_programs(rule: Rule, except_for: str = "") -> None:
    """Apply a rule to every use of the environment in Python files.

    Variables whose names begin with ``except_for`` are left to another rule.
    """

    def unread(name: str) -> GpuVariable | None:
        elsewhere = except_for and name.startswith(except_for)
        return None if elsewhere else gpu_variables.find_unread(name, rule.framework)

    @rule.reference(*REFERENCES)
    def remove_setting(site: Site) -> Diagnoses:
        """``os.environ['NCCL_DEBUG'] = 'INFO'``."""
        use = use_at(site)
        variable = None if use is None else unread(use.variable)
        if use is not None and variable is not None:
            yield from _in_program(rule, site, use, variable, unread)


def _in_program(
    rule: Rule, site: Site, use: VariableUse, variable: GpuVariable, unread: _Lookup
) -> Diagnoses:
    """Remove a statement that sets a variable; report one that has to stay, or that reads it."""
    file, target, name = site.file, use.statement, use.variable

    def goes(item: ast.stmt) -> bool:
        return _is_removable(file, item, unread)

    if use.action != "read" and goes(target):
        values = None if use.value is None else file.literal(use.value)
        more, todo = _advice(variable, rule.framework, values and values[0])
        fix = site.fix()
        remove(file, fix, target, goes)
        yield rule.fixed(
            site.at(target),
            f"{name} is read on GPU machines only",
            done=f"Removed {file.brief(target)}.{more}",
            todo=todo,
            fix=fix,
        )
    elif use.action == "set":
        yield rule.info(
            site.at(target),
            f"{file.brief(target)} sets {name}, which nothing on an NPU machine reads",
        )
    elif rule.framework in _REPORTS_READS:
        yield rule.info(
            site.at(use.node),
            f"{file.brief(use.node)} reads {name}, which nothing on an NPU machine sets",
        )


def _is_removable(file: File, item: ast.stmt, unread: _Lookup) -> bool:
    """Whether a statement only sets or deletes such a variable, which the file never reads."""
    target = item.targets[0] if isinstance(item, (ast.Assign, ast.Delete)) else None
    call = lone_call(item)
    mention = target.value if isinstance(target, ast.Subscript) else call and call.func
    name = None if mention is None else file.name(mention)
    if mention is None or name is None:
        return False
    use = use_at(Site(file, mention, name))
    return (
        use is not None
        and use.action != "read"
        and unread(use.variable) is not None
        and use.is_whole_statement
        and (use.value is None or is_pure(file, use.value))
        and not _is_read(file, use.variable)
    )


def _is_read(file: File, variable: str) -> bool:
    """Whether a file names the variable for anything but setting or dropping it."""
    return any(
        node.value == variable and not _is_set(file, node)
        for node in file.module.index.of(ast.Constant)
    )


def _is_set(file: File, key: ast.Constant) -> bool:
    item = statement(key)
    for target in getattr(item, "targets", ()):
        if isinstance(target, ast.Subscript) and file.name(target.value) == "os.environ":
            variable = file.literal(target.slice)
            return variable == (key.value,)
    owner = parent(key)
    return (
        isinstance(owner, ast.Call)
        and isinstance(item, ast.Expr)
        and item.value is owner
        and file.name(owner.func) in CHANGES
    )


# --- launch scripts --------------------------------------------------------------------------


def in_scripts(rule: Rule) -> None:
    """Apply a rule to every assignment and export in launch scripts."""

    @rule.text("shell")
    def remove_assignments(site: TextSite) -> Diagnoses:
        """``export NCCL_DEBUG=INFO``."""
        script = _Script(site, rule)
        for command in script.commands:
            for item in command.assignments:
                variable = script.unread(item)
                if variable is not None:
                    yield script.without(command, item, variable)


@dataclass(frozen=True)
class _Script:
    """The removal of variables from one script."""

    site: TextSite
    rule: Rule

    @property
    def commands(self) -> list[Command]:
        return _script.commands(self.site.text)

    def unread(self, item: Assignment) -> GpuVariable | None:
        return gpu_variables.find_unread(item.name, self.rule.framework)

    def without(self, command: Command, item: Assignment, variable: GpuVariable) -> Diagnosis:
        """Remove one variable; one that the script itself reads is only reported."""
        place = self.site.at(item.word.start, item.word.end)
        if not self._goes(item):
            return self.rule.info(
                place,
                f"{item.name} is read on GPU machines only; it was kept because the script uses it",
            )
        more, todo = _advice(variable, self.rule.framework, item.value.value)
        return self.rule.fixed(
            place,
            f"{item.name} is read on GPU machines only",
            done=f"Removed {' '.join(item.word.text.split())}.{more}",
            todo=todo,
            fix=Changes(self._edits(command, item)),
        )

    def _edits(self, command: Command, item: Assignment) -> list[Edit]:
        if self._goes_whole(command):
            return _removal.remove_command(self.site.text, command, self._goes_whole)
        going = [other.word for other in command.assignments if self._goes(other)]
        return [_removal.remove_words(command, item.word, lambda word: word in going)]

    def _goes_whole(self, command: Command) -> bool:
        """Whether a command does nothing but set variables that are removed."""
        return command.only_sets and all(self._goes(item) for item in command.assignments)

    def _goes(self, item: Assignment) -> bool:
        runs = "$(" in item.value.text or "`" in item.value.text
        return (
            self.unread(item) is not None
            and not runs
            and not _script.reads(self.site.whole_text, item.name)
        )
