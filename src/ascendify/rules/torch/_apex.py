"""Replace calls of NVIDIA's apex by calls of torch that compute the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ascendify.rules.kit import Argument, CallSite, File, Fix, Site, names


@dataclass(frozen=True)
class ApexReplacement:
    """The name of torch that replaces a name of apex, and what happens to the parameters."""

    name: str
    """Without ``torch.``."""
    required: Mapping[str, tuple[object, ...]] = field(default_factory=dict)
    """Parameters that torch lacks, with the values for which both compute the same."""
    ignored: tuple[str, ...] = ()
    """Parameters that only tune apex' own implementation."""
    keep: int = 99
    """How many positional arguments have the same position in both."""


def use_torch(fix: Fix, site: Site, name: str) -> str:
    """``torch.optim.SGD`` as the file spells torch."""
    return f"{names.torch(site.file, fix, site.node)}.{name}"


def replace_call(site: CallSite, target: ApexReplacement) -> Fix | None:
    """Call torch instead; None where the call has arguments that torch cannot be given."""
    args = site.args
    if args.starred or not all(
        _is_one_of(site.file, args.get(name), values) for name, values in target.required.items()
    ):
        return None
    fix = site.fix()
    fix.replace(site.node.func, use_torch(fix, site, target.name))
    removed = [item for item in args if item.name in (*target.required, *target.ignored)]
    positional = [item for item in args if item.keyword is None]
    for argument in positional[target.keep :]:
        if argument not in removed:
            fix.name_argument(argument)
    fix.remove_arguments(site.node, removed)
    return fix


def _is_one_of(file: File, argument: Argument | None, values: tuple[object, ...]) -> bool:
    """Whether an argument is not given, or surely has one of these values."""
    literal = () if argument is None else file.literal(argument.value)
    return literal is not None and all(value in values for value in literal)


def amp_calls(file: File, *functions: str) -> Iterator[CallSite]:
    """Calls of functions of apex.amp in a file."""
    return file.calls(*(f"apex.amp.{name}" for name in functions))
