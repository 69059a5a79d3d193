"""Fix: a set of edits that belong together, built in the words of Python instead of offsets.

Either all edits of a fix are applied or none. Comments inside replaced text are not the rule's
concern: the pipeline keeps every comment that an edit would swallow.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from ascendify.catalog.knowledge import ADAPTER, STAR_MODULE, CatalogKnowledge, star_names
from ascendify.source.edits import Edit, wrap
from ascendify.source.imports import Import, existing, free_name, means_only
from ascendify.source.nodes import block_of, place_in, position
from ascendify.source.scopes import ancestors, parent, statement

if TYPE_CHECKING:
    from ascendify.rules.arguments import Argument
    from ascendify.source.module import Module

_SEMICOLON = re.compile(r"[ \t]*;")
_CLOSING = re.compile(r"\s*\)")
_LINE_END = re.compile(r"\r\n|\r|\n")


class Changes:
    """Edits that are applied together or not at all, and the imports they need."""

    def __init__(self, edits: Iterable[Edit] = ()) -> None:
        self.edits: list[Edit] = list(edits)
        self.imports: list[Import] = []
        self.reused: list[tuple[Import, int]] = []
        """Imports the file already has that the edits rely on, and where each of them ends."""
        self.definitions: list[tuple[str, int]] = []
        """Helper functions the edits need, and the offset of the line they must stand before."""
        self.provisional = False
        """Nothing is changed; the finding holds only if it is still there once all fixes are in."""


class Fix(Changes):
    """Changes to a Python file."""

    def __init__(self, module: Module, vendor_style: bool = False, adapter: str = ADAPTER) -> None:
        super().__init__()
        self.module = module
        self._adapter = adapter
        self._star = self._home(STAR_MODULE)
        self.vendor_style = vendor_style
        """Import the NPU's names as the vendor's tool does: all at once, with a star."""
        self._given: list[str] = []
        self._removed: list[ast.stmt] = []

    # names

    def use(self, module: str, name: str = "", comment: str = "") -> str:
        """Ask for an import and get the spelling to use; what the file already has is reused.

        Name modules of the NPU's adapter as ``npu_bridge``, whichever adapter the file is for.
        """
        module = self._home(module)
        wanted = Import(module, name, comment=comment)
        spelling = existing(self.module, wanted)
        if spelling is not None:
            for binding in self.module.index.module.bindings.get(spelling, ()):
                reused = Import(module, name, "" if spelling == (name or module) else spelling)
                self.reused.append((reused, self.module.end(binding.node)))
            return spelling
        if self._is_starred(module, name):
            if self._star not in self.module.index.stars:
                self.imports.append(Import(self._star, "*"))
            return name
        plain = name or module
        first = plain.partition(".")[0]
        same = means_only(self.module, first, f"{module}.{name}" if name else first)
        if self._is_taken(first) and not same:
            wanted = Import(module, name, free_name(self.module, plain.replace(".", "_")), comment)
        self.imports.append(wanted)
        return wanted.spelling

    def _home(self, module: str) -> str:
        """Where a module of the NPU's adapter is in this file's TensorFlow."""
        below = module == ADAPTER or module.startswith(f"{ADAPTER}.")
        return self._adapter + module[len(ADAPTER) :] if below else module

    def _is_taken(self, name: str) -> bool:
        """Whether the file means something else by a name: its own, or one behind a star import."""
        index = self.module.index
        if name in index.bound_names:
            return True
        return any(star != self._star for star in index.stars) and name in self.module.all_names

    def _is_starred(self, module: str, name: str) -> bool:
        """Whether a star import of the NPU's names brings this one: the file's own or a new one.

        A new one is not made where it would take the place of something the file imports.
        """
        if name not in star_names() or name in self.module.index.bound_names:
            return False
        canonical = CatalogKnowledge().canonical
        if canonical(f"{module}.{name}") != canonical(f"{STAR_MODULE}.{name}"):
            return False
        if self._star in self.module.index.stars:
            return True
        bindings = self.module.index.module.bindings
        return self.vendor_style and all(
            canonical(binding.origin) == canonical(f"{STAR_MODULE}.{taken}")
            for taken in star_names() & bindings.keys()
            for binding in bindings[taken]
            if binding.kind == "import"
        )

    def fresh(self, name: str) -> str:
        """A variable name that neither the file nor this fix uses."""
        chosen = free_name(self.module, name, self._given)
        self._given.append(chosen)
        return chosen

    def define(self, function: str, name: str, before: ast.AST) -> str:
        """Add a helper function to the file, once however often it is needed; return its name.

        ``function`` is its text with ``{name}`` for the name. It is put before the first function
        or class of the file, or before the statement that needs it where that comes first.
        """
        known = self._defined_as(function)
        if known is not None:
            return known
        chosen = self.fresh(name)
        around = (item for item in ancestors(before) if isinstance(item, ast.stmt))
        user = [statement(before), *around][-1]
        first = self.module.first_definition
        place = user if first is None or position(user) < position(first) else first
        self.definitions.append((function.format(name=chosen), self._above_comments(place)))
        return chosen

    def _defined_as(self, function: str) -> str | None:
        """The name under which the file already has a helper function, word for word."""
        for node in self.module.functions_by_text.get(_behind_name(function), ()):
            known = "\n".join(self.module.segment(node).splitlines())
            if known == function.format(name=node.name):
                return node.name
        return None

    def _above_comments(self, node: ast.stmt) -> int:
        """Offset of the line a statement begins on, or of the comment lines right above it.

        A line that begins a cell (``#%%``) stays above whatever is put into the cell.
        """
        number = self.module.source.position(self.module.start(node))[0]
        while number > 1 and re.match(r"#(?! ?%%)", self.module.source.line(number - 1)):
            number -= 1
        return self.module.source.line_starts[number - 1]

    # expressions

    def replace(self, node: ast.AST, text: str) -> None:
        """Replace an expression."""
        start, end = self.module.start(node), self.module.end(node)
        self.edits.append(Edit(start, end, self._spaced(start, end, text)))

    def replace_range(self, start: int, end: int, text: str) -> None:
        """Replace text by offsets, where no node covers it."""
        self.edits.append(Edit(start, end, text))

    def wrap(self, node: ast.AST, before: str, after: str = ")", level: int = 0) -> None:
        """Put text around an expression; of two wraps, the higher level is the outer one."""
        start, end = self._outer(node)
        self.edits.extend(wrap(start, end, self._spaced(start, start, before), after, level))

    def _spaced(self, start: int, end: int, new: str) -> str:
        """Keep a space where two words would become one: ``return(x)``, ``1if x else 2``."""
        text = self.module.source.text
        before, after = text[start - 1 : start], text[end : end + 1] if end > start else ""
        if _in_word(before) and _in_word(new[:1]):
            new = f" {new}"
        return f"{new} " if _in_word(new[-1:]) and _in_word(after) else new

    def text(self, node: ast.AST) -> str:
        """The user's own text of an expression."""
        return self.module.segment(node)

    def operand(self, node: ast.expr) -> str:
        """An expression's text, in parentheses unless it binds tighter than any operator."""
        text = self.module.segment(node)
        simple = (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.Constant, ast.List)
        return text if isinstance(node, simple) else f"({text})"

    # arguments

    def add_argument(self, call: ast.Call, text: str) -> None:
        """Add ``name=value`` as the last argument, before a trailing comma or ``**kwargs``."""
        module = self.module
        unpacked = [keyword for keyword in call.keywords if keyword.arg is None]
        if unpacked:
            start = module.source.text.rfind("**", 0, module.start(unpacked[0].value))
            self.edits.append(Edit(start, start, f"{text}, "))
            return
        arguments: list[ast.AST] = [*call.args, *call.keywords]
        if not arguments:
            close = module.end(call) - 1
            self.edits.append(Edit(close, close, text))
            return
        last = max(arguments, key=module.end)
        if self._is_bare_generator(call):
            # ``f(x for x in y)``: its parentheses are those of the call
            self.edits.extend(wrap(module.start(last), module.end(last), "(", f", {text})"))
            return
        end = self._outer(last.value if isinstance(last, ast.keyword) else last)[1]
        self.edits.append(Edit(end, end, f", {text}"))

    def add_parameter(self, function: ast.FunctionDef, text: str) -> None:
        """Add ``name=value`` as the last parameter; for functions without ``*`` and ``**``."""
        parameters, defaults = function.args.args, function.args.defaults
        if defaults:
            end = self._outer(defaults[-1])[1]
        elif parameters:
            end = self.module.end(parameters[-1])
        else:
            start = self.module.source.text.index("(", self.module.start(function)) + 1
            self.edits.append(Edit(start, start, text))
            return
        self.edits.append(Edit(end, end, f", {text}"))

    def _is_bare_generator(self, call: ast.AST) -> bool:
        """Whether the only argument is a generator without its own parentheses."""
        return (
            isinstance(call, ast.Call)
            and len(call.args) == 1
            and isinstance(call.args[0], ast.GeneratorExp)
            and self.module.end(call.args[0]) == self.module.end(call)
        )

    def remove_argument(self, call: ast.Call, argument: Argument) -> None:
        """Remove an argument together with the comma that separates it."""
        module = self.module
        text = module.source.text
        node = argument.node
        start = module.start(node)
        end = self._outer(argument.value)[1]
        if argument.keyword is None:
            start = self._outer(argument.value)[0]
        limit = module.end(call) - 1
        comma = _skip_to_comma(text, end, limit)
        if comma is not None:
            following = comma + 1
            while following < limit and text[following] in " \t":
                following += 1
            line_start, line_end = self._line_start(start), self._line_end(comma)
            if following == line_end and not text[line_start:start].strip():
                # the argument has its lines for itself: they go with it
                start, following = line_start, self._next_line(line_end)
            elif following == line_end:
                # it comes after the parenthesis: the next argument takes its place
                next_one = _after_blank(text, following)
                following = following if text[next_one] in "#)" else next_one
            self.edits.append(Edit(start, following, ""))
            return
        before = _back_to_comma(text, start, module.end(call.func))
        if before is None and not text[end:limit].strip():
            # the only one: the parentheses close up
            opening = _before_blank(text, start)
            start, end = (opening, limit) if text[opening - 1] == "(" else (start, end)
        self.edits.append(Edit(start if before is None else before, end, ""))

    def remove_arguments(self, call: ast.Call, arguments: Iterable[Argument]) -> None:
        """Remove several arguments, and the commas that separate them from those that remain."""
        gone = {id(argument.value) for argument in arguments}
        items: list[tuple[int, int, bool]] = []
        given: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
        for node in given:
            value = node.value if isinstance(node, ast.keyword) else node
            start, end = self._outer(value)
            items.append((self._argument_start(node, start), end, id(value) in gone))
        items.sort()
        first = 0
        while first < len(items):
            if not items[first][2]:
                first += 1
                continue
            last = first
            while last + 1 < len(items) and items[last + 1][2]:
                last += 1
            if last + 1 < len(items):
                self.edits.append(Edit(items[first][0], items[last + 1][0], ""))
            else:
                start = items[first - 1][1] if first else items[first][0]
                self.edits.append(Edit(start, items[last][1], ""))
            first = last + 1

    def _argument_start(self, node: ast.expr | ast.keyword, start: int) -> int:
        if not isinstance(node, ast.keyword):
            return start
        if node.arg is None:
            return self.module.source.text.rfind("**", 0, start)
        return self.module.start(node)

    def name_argument(self, argument: Argument) -> None:
        """Turn a positional argument into a keyword argument."""
        if argument.keyword is None and self._is_bare_generator(parent(argument.value)):
            start, end = self.module.start(argument.value), self.module.end(argument.value)
            self.edits.extend(wrap(start, end, f"({argument.name}=", ")"))
        elif argument.keyword is None:
            start = self._outer(argument.value)[0]
            self.edits.append(Edit(start, start, f"{argument.name}=", (2, -(10**9), 0)))

    # statements

    def replace_statement(self, node: ast.AST, lines: list[str]) -> None:
        """Put statements in the place of the one a node belongs to; a shared line stays shared."""
        target = statement(node)
        start, end = self.module.start(target), self.module.end(target)
        text = self.module.source.text
        before = text[self._line_start(start) : start]
        shared = before.strip() or _SEMICOLON.match(text, end)
        joint = "; " if shared else self.module.source.newline + before
        self.replace(target, joint.join(lines))

    def insert_before(self, node: ast.AST, lines: str) -> None:
        """Insert lines before the statement a node belongs to, at its indentation.

        Before an ``elif`` means before the ``if`` it belongs to.
        """
        target = self._whole_if(statement(node))
        start = self.module.start(target)
        line_start = self._line_start(start)
        indent = self.module.source.text[line_start:start]
        if not indent.strip():
            self.edits.append(Edit(line_start, line_start, self._indented(lines, indent)))
        elif _is_simple(lines):
            # the statement shares its line with another one: ``a(); b()``, ``if x: b()``
            self.edits.append(Edit(start, start, f"{_on_one_line(lines)}; "))
        else:
            self._break_line(target, lines)

    def insert_above(self, node: ast.stmt, lines: str) -> None:
        """Insert lines, and an empty one, before a statement and the comments right above it."""
        at = self._above_comments(node)
        text = self._indented(lines, self.module.indent(node))
        self.edits.append(Edit(at, at, text + self.module.source.newline))

    def insert_after(self, node: ast.AST, lines: str) -> None:
        """Insert lines after the statement a node belongs to, at its indentation."""
        target = statement(node)
        end = self.module.end(target)
        following = self._following(target)
        if following is None and self._header_end(target) is None:
            end = self._line_end(end)
            self._insert_lines(end, lines, self.module.indent(target))
        elif _is_simple(lines):
            self.edits.append(Edit(end, end, f"; {_on_one_line(lines)}"))
        elif following is not None:
            self._break_line(following, lines)
        else:
            indent = self._break_line(target, "")
            self._insert_lines(end, lines, indent)

    def remove_statement(self, node: ast.AST) -> None:
        """Remove the statement a node belongs to; an emptied block gets ``pass``."""
        target = statement(node)
        module = self.module
        owner = parent(target)
        block = block_of(target)
        self._removed.append(target)
        start, end = module.start(target), module.end(target)
        line_start, line_end = self._line_start(start), self._line_end(end)
        text = module.source.text
        rest = text[end:line_end]
        alone = not text[line_start:start].strip() and not rest.lstrip().startswith(";")
        emptied = all(item in self._removed for item in block)
        if emptied and not isinstance(owner, ast.Module) and self._whole_if(target) is target:
            self.edits.append(Edit(start, end, "pass"))
        elif not alone:
            match = re.match(r"[ \t]*;[ \t]*", rest)
            before = re.search(r"[ \t]*;[ \t]*\Z", text[line_start:start])
            above = block[(place_in(block, target) or 0) - 1]
            if match is None and before and above not in self._removed:
                start = line_start + before.start()
            self.edits.append(Edit(start, end + (match.end() if match else 0), ""))
        elif rest.strip():
            # keep the comment that follows, on a line of its own
            comment = end + len(rest) - len(rest.lstrip())
            self.edits.append(Edit(start, comment, ""))
        else:
            self.edits.append(Edit(line_start, self._next_line(line_end), ""))

    def unwrap_with(self, node: ast.With) -> None:
        """Replace a ``with`` statement by its body, one level less indented.

        One edit for the whole statement: what another rule inserts inside would keep the old
        indentation, so it has to wait for the next pass.
        """
        module = self.module
        first = node.body[0]
        header_start = self._line_start(module.start(node))
        body_start = self._line_start(module.start(first))
        if self._header_end(first) is not None:
            self.edits.append(Edit(module.start(node), module.start(first), ""))
            return
        indent, inner = module.indent(node), module.indent(first)
        strings = _string_lines(node)
        first_line = module.source.position(self._after_header(node, body_start))[0]
        while not module.source.line(first_line).strip():
            first_line += 1
        lines: list[str] = []
        last_line = self._last_comment(node.end_lineno or node.lineno, inner)
        for number in range(first_line, last_line + 1):
            content = module.source.line(number)
            if number not in strings and content.startswith(inner):
                content = indent + content[len(inner) :]
            lines.append(content)
        starts = module.source.line_starts
        end = starts[last_line] if last_line < len(starts) else len(module.source.text)
        self.edits.append(Edit(header_start, end, "".join(lines)))

    def _last_comment(self, line: int, inner: str) -> int:
        """The last line of the comments that follow a block at its own indentation."""
        source = self.module.source
        last = line
        for number in range(line + 1, len(source.line_starts) + 1):
            content = source.line(number)
            if content.startswith(inner) and content.lstrip().startswith("#"):
                last = number
            elif content.strip():
                break
        return last

    def _after_header(self, node: ast.With, body_start: int) -> int:
        """Start of the line after the header's colon, so that comments below the header remain."""
        last = node.items[-1]
        expression = last.optional_vars or last.context_expr
        colon = _skip_to(":", self.module.source.text, self.module.end(expression))
        return min(self._next_line(self._line_end(colon)), body_start)

    # places

    def _outer(self, node: ast.AST) -> tuple[int, int]:
        """The range of an expression including the parentheses around it."""
        module = self.module
        text = module.source.text
        start, end = module.start(node), module.end(node)
        owner = parent(node)
        if isinstance(owner, ast.ClassDef):
            # the parentheses around a base are the class's
            return start, end
        low = module.start(owner) if hasattr(owner, "lineno") else 0
        if isinstance(owner, ast.Call) and node is not owner.func:
            low = module.end(owner.func) + 1
            high = module.end(owner) - 1
        elif isinstance(owner, ast.keyword):
            call = parent(owner)
            high = module.end(call) - 1 if hasattr(call, "end_lineno") else len(text)
        else:
            high = module.end(owner) if hasattr(owner, "end_lineno") else len(text)
        while True:
            left = _before_blank(text, start, low) - 1
            right = _CLOSING.match(text, end, high)
            if left < low or text[left] != "(" or right is None:
                return start, end
            start, end = left, right.end()

    def _whole_if(self, target: ast.stmt) -> ast.stmt:
        """The ``if`` an ``elif`` belongs to; any other statement itself."""
        owner = parent(target)
        while (
            isinstance(owner, ast.If)
            and owner.orelse == [target]
            and self.module.source.text.startswith("elif", self.module.start(target))
        ):
            target, owner = owner, parent(owner)
        return target

    def _following(self, target: ast.stmt) -> ast.stmt | None:
        """The statement that follows on the same line, if any."""
        block = block_of(target)
        place = (place_in(block, target) or 0) + 1
        after = block[place] if place < len(block) else None
        return after if after is not None and after.lineno == target.end_lineno else None

    def _header_end(self, target: ast.stmt) -> int | None:
        """Offset after the colon of ``if x: a(); b()``, for a statement of such a block."""
        first = self.module.start(block_of(target)[0])
        before = self.module.source.text[self._line_start(first) : first]
        if isinstance(parent(target), ast.Module) or not before.strip():
            return None
        return first - len(before) + len(before.rstrip())

    def _break_line(self, target: ast.stmt, lines: str) -> str:
        """Put a statement on a line of its own, below ``lines``; return its indentation."""
        block = block_of(target)
        newline = self.module.source.newline
        header_end = self._header_end(target)
        indent = self.module.indent(block[0])
        if header_end is not None:
            indent += self.module.indent_unit
        above = newline + (self._indented(lines, indent) if lines else "") + indent
        start = self.module.start(target)
        if target is block[0]:
            self.edits.append(Edit(start if header_end is None else header_end, start, above))
            return indent
        if header_end is not None:
            self.edits.append(Edit(header_end, self.module.start(block[0]), newline + indent))
        end = self.module.end(block[(place_in(block, target) or 0) - 1])
        self.edits.append(Edit(end, start, above))
        return indent

    @property
    def indent_unit(self) -> str:
        """One level of the file's indentation."""
        return self.module.indent_unit

    def _insert_lines(self, end: int, lines: str, indent: str) -> None:
        newline = self.module.source.newline
        text = self._indented(lines, indent)
        self.edits.append(Edit(end, end, newline + text[: len(text) - len(newline)]))

    def _line_start(self, offset: int) -> int:
        return self.module.source.line_starts[self.module.source.position(offset)[0] - 1]

    def _line_end(self, offset: int) -> int:
        """Offset of the line end (before the newline characters)."""
        number = self.module.source.position(offset)[0]
        line = self.module.source.line(number)
        return self.module.source.line_starts[number - 1] + len(line.rstrip("\r\n"))

    def _next_line(self, line_end: int) -> int:
        match = _LINE_END.match(self.module.source.text, line_end)
        return match.end() if match else line_end

    def _indented(self, lines: str, indent: str) -> str:
        newline = self.module.source.newline
        return "".join(
            (indent + line if line else "") + newline for line in lines.rstrip("\n").split("\n")
        )


def _behind_name(function: str) -> str:
    """A helper's text after ``def {name}(``; its doubled braces become single ones."""
    return function.partition("(")[2].format(name="")


def _string_lines(node: ast.AST) -> set[int]:
    """Lines that begin inside a multi-line string; their white space is content."""
    found: set[int] = set()
    for item in ast.walk(node):
        if isinstance(item, (ast.Constant, ast.JoinedStr)) and item.end_lineno != item.lineno:
            value = getattr(item, "value", "")
            if isinstance(item, ast.JoinedStr) or isinstance(value, (str, bytes)):
                found.update(range(item.lineno + 1, (item.end_lineno or item.lineno) + 1))
    return found


def _before_blank(text: str, end: int, low: int = 0) -> int:
    """Offset behind the last character before ``end`` that is no white space, at least ``low``."""
    while end > low and text[end - 1].isspace():
        end -= 1
    return end


def _after_blank(text: str, start: int) -> int:
    """Offset of the first character from ``start`` on that is no white space."""
    while start < len(text) and text[start].isspace():
        start += 1
    return start


def _in_word(char: str) -> bool:
    return char.isalnum() or char in ("_", '"', "'")


def _is_simple(lines: str) -> bool:
    """Whether lines are simple statements, which semicolons can join on one line."""
    try:
        body = ast.parse(lines).body
    except SyntaxError:
        return False
    return "#" not in lines and all(
        not hasattr(item, "body") and item.lineno == item.end_lineno for item in body
    )


def _on_one_line(lines: str) -> str:
    return "; ".join(line.strip() for line in lines.strip().split("\n"))


def _skip_to(wanted: str, text: str, start: int) -> int:
    """Offset of the next such character that is not in a comment."""
    at = start
    while at < len(text) and text[at] != wanted:
        at = _end_of_line(text, at) if text[at] == "#" else at + 1
    return at


def _end_of_line(text: str, start: int) -> int:
    ends = [end for char in "\r\n" if (end := text.find(char, start)) >= 0]
    return min(ends, default=len(text))


def _skip_to_comma(text: str, start: int, limit: int) -> int | None:
    """Offset of the next comma, passing white space, line ends and comments only."""
    at = start
    while at < limit:
        char = text[at]
        if char == ",":
            return at
        if char == "#":
            at = _end_of_line(text, at)
        elif char in " \t\r\n\f\\":
            at += 1
        else:
            return None
    return None


def _back_to_comma(text: str, start: int, limit: int) -> int | None:
    """Offset of the comma before a position when only white space lies between."""
    at = start - 1
    while at >= limit and text[at] in " \t\r\n\f\\":
        at -= 1
    return at if at >= limit and text[at] == "," else None
