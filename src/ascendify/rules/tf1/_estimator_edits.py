"""Edits of estimator rules: names, default arguments, and changed argument lists."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from ascendify.rules.kit import Argument, Arguments, CallSite, File, Fix, names
from ascendify.rules.tf1 import _npu

_LINE = 100
"""Lines longer than this are broken where arguments are added."""


def tensorflow(fix: Fix, node: ast.AST, name: str) -> str:
    """The file's own spelling of ``tf.<name>`` at a node."""
    local = names.local_name(node)
    return f"{local}.{name}" if local else fix.use("tensorflow", name)


def defaults(file: File, fix: Fix, node: ast.AST, given: Iterable[str]) -> list[str]:
    """Arguments an NPURunConfig needs to behave like the RunConfig it replaces."""
    given = set(given)
    added: list[str] = []
    if "session_config" not in given:
        proto = tensorflow(fix, node, "ConfigProto")
        options = "allow_soft_placement=True, log_device_placement=False"
        added.append(f"session_config={proto}({options})")
    if "save_summary_steps" not in given:
        added.append("save_summary_steps=100")
    if not given & {"save_checkpoints_steps", "save_checkpoints_secs"}:
        if file.facts.distributed == "none":
            added.append("save_checkpoints_secs=600")
        else:
            added.append("save_checkpoints_steps=100")
    if file.facts.has_options_module:
        added.append(f"**{fix.use(_npu.OPTIONS_MODULE, 'run_config_options')}()")
    return added


def make_native(site: CallSite, fix: Fix, function: str, has_config: bool) -> str:
    """Call a function of the NPU with named arguments and a run config; return what was done.

    Without a config it gets an NPURunConfig with TensorFlow's defaults.
    """
    file, node = site.file, site.node
    fix.replace(node.func, function)
    done = f"Replaced {site.callee} by {function}."
    added: list[str] = []
    if not has_config:
        head = f"{_npu.use(fix, 'NPURunConfig')}("
        newline = file.module.source.newline + file.module.indent(node) + fix.indent_unit * 3
        config = head + newline + f",{newline}".join(defaults(file, fix, node, ())) + ")"
        given = site.args.get("config")
        if given is None:
            added.append(f"config={config}")
        else:
            fix.replace(given.value, config)
        done += " Gave it an NPURunConfig that keeps TensorFlow's defaults."
    ArgumentList(file, fix, site.args).change(add=added)
    return done


def pass_through_init(file: File, fix: Fix, config: ast.expr) -> str:
    """Pass a run config through the function that sets it up for the NPU; what was done."""
    fix.wrap(config, f"{_npu.use(fix, 'npu_run_config_init')}(run_config=")
    return f"Passed {file.brief(config)} through npu_run_config_init()."


@dataclass(frozen=True)
class ArgumentList:
    """The arguments of a call, to be named, removed and added to."""

    file: File
    fix: Fix
    arguments: Arguments

    @property
    def _call(self) -> ast.Call:
        return self.arguments.call

    @cached_property
    def _ordered(self) -> list[Argument]:
        return sorted(self.arguments, key=lambda item: self.file.module.start(item.node))

    def change(self, drop: Iterable[Argument] = (), add: Iterable[str] = ()) -> None:
        """Name every positional argument, remove some, and add others at the end."""
        dropped, texts = list(drop), list(add)
        ordered = self._ordered
        for item in ordered:
            if item not in dropped:
                self.fix.name_argument(item)
        last = len(ordered)
        while last and ordered[last - 1] in dropped:
            last -= 1
        self._remove_before(last, dropped)
        if last < len(ordered):
            self._replace_end(last, texts)
        else:
            self.append(texts)

    def _remove_before(self, last: int, dropped: list[Argument]) -> None:
        """Remove the text before a kept argument, back to the previous one."""
        for number, item in enumerate(self._ordered[:last]):
            if item in dropped:
                start = self._span(item)[0]
                self.fix.replace_range(start, self._span(self._ordered[number + 1])[0], "")

    def _replace_end(self, last: int, texts: list[str]) -> None:
        """Replace the last arguments by new ones, or remove them with their comma."""
        ordered = self._ordered
        start, end = self._span(ordered[last])[0], self._span(ordered[-1])[1]
        if texts:
            self.fix.replace_range(start, end, self._joint(ordered[last], texts).join(texts))
        elif last:
            self.fix.replace_range(self._span(ordered[last - 1])[1], end, "")
        else:
            self.fix.replace_range(start, self._after_comma(end), "")

    def append(self, texts: list[str]) -> None:
        """Add arguments at the end and keep the others."""
        if not texts:
            return
        if not self._ordered:
            at = self.file.module.end(self._call) - 1
            joint = self._joint(None, texts)
            self.fix.replace_range(at, at, ("" if joint == ", " else joint[1:]) + joint.join(texts))
            return
        last = self._ordered[-1]
        start, end = self._span(last)
        joint = self._joint(last, texts)
        if self._has_comment(end):
            # the comment behind the last argument stays with it
            self.fix.replace_range(start, start, "".join(text + joint for text in texts))
        else:
            self.fix.replace_range(end, end, "".join(joint + text for text in texts))

    def _joint(self, beside: Argument | None, texts: Iterable[str] = ()) -> str:
        """A comma, and a line break where the user breaks lines or one would grow too long."""
        source = self.file.module.source
        if beside is not None:
            line, column = source.position(self._span(beside)[0])
            before = source.line(line)[: column - 1]
            if not before.strip():
                return f",{source.newline}{before}"
        column = source.position(self.file.module.end(self._call) - 1)[1]
        if column + sum(len(text) + 2 for text in texts) <= _LINE:
            return ", "
        indent = self.file.module.indent(self._call) + self.fix.indent_unit * 2
        return f",{source.newline}{indent}"

    def _span(self, argument: Argument) -> tuple[int, int]:
        """The range of an argument with the parentheses around it."""
        module = self.file.module
        text = module.source.text
        start, end = module.start(argument.node), module.end(argument.value)
        limit = module.end(self._call) - 1
        at = end
        while at < limit and (text[at].isspace() or text[at] in ")#\\"):
            if text[at] == "#":
                at = _line_end(text, at)
                continue
            at += 1
            if text[at - 1] == ")":
                end = at
        at = start - 1
        while argument.keyword is None and at > module.end(self._call.func):
            if text[at] not in "( \t\r\n":
                break
            if text[at] == "(":
                start = at
            at -= 1
        return start, end

    def _after_comma(self, end: int) -> int:
        text = self.file.module.source.text
        rest = text[end : self.file.module.end(self._call)]
        return end + rest.index(",") + 1 if rest.lstrip().startswith(",") else end

    def _has_comment(self, end: int) -> bool:
        text = self.file.module.source.text
        rest = text[end : _line_end(text, end)].strip().lstrip(",").strip()
        return rest.startswith("#")


def _line_end(text: str, at: int) -> int:
    ends = [found for found in (text.find("\n", at), text.find("\r", at)) if found >= 0]
    return min(ends, default=len(text))
