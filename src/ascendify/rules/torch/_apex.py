"""What the rules about NVIDIA's apex share: calls replaced by those of torch, and its imports."""

from __future__ import annotations

from collections.abc import Iterator

from ascendify.rules.kit import Argument, CallSite, File, Fix, Site, names


def use_torch(fix: Fix, site: Site, name: str) -> str:
    """``torch.optim.SGD`` in the file's own spelling of torch."""
    return f"{names.torch(site.file, fix, site.node)}.{name}"


def dropped(site: CallSite, names: tuple[str, ...]) -> list[Argument]:
    """The arguments given for parameters that have no meaning in torch."""
    return [argument for name in names if (argument := site.args.get(name)) is not None]


def is_default(file: File, argument: Argument | None, *values: object) -> bool:
    """Whether an argument is not given, or given as one of some values."""
    if argument is None:
        return True
    literal = file.literal(argument.value)
    return literal is not None and all(value in values for value in literal)


def name_positional(fix: Fix, site: CallSite, keep: int, gone: list[Argument]) -> None:
    """Give all arguments after the first ``keep`` by name, except those that are taken out."""
    positional = [item for item in site.args if item.keyword is None]
    for argument in positional[keep:]:
        if argument not in gone:
            fix.name_argument(argument)


def apex_calls(file: File, *names: str) -> Iterator[CallSite]:
    """Calls of apex' amp functions in a file."""
    yield from file.calls(*(f"apex.amp.{name}" for name in names))
