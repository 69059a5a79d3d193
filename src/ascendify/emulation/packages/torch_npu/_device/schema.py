"""Read a schema into the pattern of its arguments, and write the source of the kernel for it."""

import typing

_TENSORS = {
    "Tensor": "T",
    "Optional[Tensor]": "O",
    "List[Tensor]": "L",
    "List[Optional[Tensor]]": "L",
    "Optional[List[Tensor]]": "N",
    "Optional[Generator]": "G",
}
"""Kinds of arguments that a kernel converts; every other kind is `.` and is passed unchanged."""

TAKES_BOTH_DEVICES = frozenset(
    {
        "aten::index",
        "aten::_unsafe_index",
        "aten::index_put",
        "aten::index_put_",
        "aten::_index_put_impl_",
        "aten::_unsafe_index_put",
        "aten::_foreach_copy_",
        "aten::_pack_padded_sequence",
        "aten::_pack_padded_sequence_backward",
    }
)
"""Operators whose indices, lengths or sources may be on the cpu, as on every accelerator."""


class KernelArgument(typing.NamedTuple):
    """One argument, for the source of a kernel."""

    kind: str
    written: bool
    keyword: str
    """The name of a keyword-only argument; empty for a positional one."""
    optional: bool


class Pattern(typing.NamedTuple):
    """The properties of a schema that determine the source of a kernel."""

    arguments: tuple
    results: tuple
    """For each result: `T`, `L` or `.`, or the index of the argument that is returned."""
    both_devices: bool
    has_more_keywords: bool
    """Whether there are keyword arguments that are passed unchanged."""

    @property
    def kinds(self):
        """A short form of the pattern, for tracebacks."""
        return "".join(argument.kind for argument in self.arguments)

    def source(self):
        """Return the source of `make(op, exact, names, defaults)`, which makes the kernel."""
        return "\n".join(_source(self))


class ArgumentNames(typing.NamedTuple):
    """Names and defaults of the arguments, which differ between operators of one pattern."""

    names: tuple
    defaults: tuple


def pattern_of(op):
    """Return the pattern of an operator, and the names and defaults of its arguments."""
    schema = op._schema
    keywords = [a for a in schema.arguments if a.kwarg_only]
    touched = [a for a in keywords if _kind(a) != "."]
    shown = [a for a in schema.arguments if not a.kwarg_only] + touched
    pattern = Pattern(
        tuple(_argument(a) for a in shown),
        tuple(_result(r, shown) for r in schema.returns),
        schema.name in TAKES_BOTH_DEVICES or any(a.name == "device" for a in shown),
        len(touched) < len(keywords),
    )
    defaults = tuple(a.default_value if a.has_default_value() else None for a in shown)
    return pattern, ArgumentNames(tuple(a.name for a in shown), defaults)


def _kind(argument):
    if argument.name == "device":
        return "D"
    if argument.name == "pin_memory":
        return "P"
    return _TENSORS.get(str(argument.type), ".")


def _argument(argument):
    alias = argument.alias_info
    return KernelArgument(
        _kind(argument) if argument.kwarg_only else _TENSORS.get(str(argument.type), "."),
        alias is not None and alias.is_write,
        argument.name if argument.kwarg_only else "",
        argument.has_default_value(),
    )


def _result(result, arguments):
    if result.alias_info is not None:
        for number, argument in enumerate(arguments):
            alias = argument.alias_info
            if alias and alias.is_write and alias.before_set & result.alias_info.before_set:
                return number
    return _TENSORS.get(str(result.type), ".")


def _source(pattern):
    numbered = list(enumerate(pattern.arguments))
    yield "def make(op, exact, names, defaults):"
    for number, _ in numbered:
        yield f"    n{number}, d{number} = names[{number}], defaults[{number}]"
    yield f"    def kernel({_parameters(numbered, pattern)}):"
    for number, argument in numbered:
        yield from _prepared(number, argument, pattern.both_devices)
    yield from _called(numbered, pattern)
    for number, argument in numbered:
        if argument.written and argument.keyword:
            yield f"        synchronise({argument.keyword}, h{number})"
    for _, argument in numbered:
        if argument.kind == "D":
            yield f"        if not stays({argument.keyword}): return result"
    yield f"        return {_returned(pattern)}"
    yield "    return kernel"


def _parameters(numbered, pattern):
    positional = [
        f"a{number}=d{number}" if argument.optional else f"a{number}"
        for number, argument in numbered
        if not argument.keyword
    ]
    keywords = [
        f"{argument.keyword}=d{number}" if argument.optional else argument.keyword
        for number, argument in numbered
        if argument.keyword
    ]
    return ", ".join([*positional, *(["*"] if keywords else []), *keywords, *_more(pattern)])


def _more(pattern):
    return ["**kwargs"] if pattern.has_more_keywords else []


def _prepared(number, argument, both_devices):
    """Return the line that makes the cpu alias `h` of an argument."""
    given = argument.keyword or f"a{number}"
    one, many = ("host_or_cpu", "host_or_cpu_list") if both_devices else ("host", "host_list")
    if argument.written and argument.keyword:
        one = "host_out"
    lines = {
        "T": f"h{number} = {one}({given}, n{number})",
        "O": f"h{number} = None if {given} is None else {one}({given}, n{number})",
        "L": f"h{number} = {many}({given}, n{number})",
        "N": f"h{number} = None if {given} is None else {many}({given}, n{number})",
        "G": f"h{number} = lend({given})",
        "D": f"h{number} = own_device({given})",
    }
    if argument.kind in lines:
        yield "        " + lines[argument.kind]


def _called(numbered, pattern):
    passed = []
    for number, argument in numbered:
        value = f"a{number}" if argument.kind == "." else f"h{number}"
        if argument.kind != "P":
            passed.append(f"{argument.keyword}={value}" if argument.keyword else value)
    positional = [text for text in passed if "=" not in text]
    keywords = [text for text in passed if "=" in text]
    arguments = ", ".join([*positional, *keywords, *_more(pattern)])
    yield "        try:"
    yield f"            result = op({arguments})"
    yield "        except (TypeError, RuntimeError) as error:"
    yield f"            result = again(error, exact, {arguments})"
    lent = [f"            give_back(h{number})" for number, a in numbered if a.kind == "G"]
    if lent:
        yield "        finally:"
        yield from lent


def _returned(pattern):
    texts = [
        _returned_one(
            result, "result" if len(pattern.results) == 1 else f"result[{place}]", pattern
        )
        for place, result in enumerate(pattern.results)
    ]
    if not texts:
        return "None"
    return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"


def _returned_one(result, value, pattern):
    if isinstance(result, int):
        return pattern.arguments[result].keyword or f"a{result}"
    if result == "T":
        return f"adopt({value})"
    if result == "L":
        return f"[adopt(one) for one in {value}]"
    return value
