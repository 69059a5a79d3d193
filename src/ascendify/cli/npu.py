"""NPU options on the command line: ``--npu KEY=VALUE`` for all, flags of their own for some.

The flags' types and help come from the catalogue, so a flag cannot promise what is not there.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any, Callable, Optional

import typer

if TYPE_CHECKING:
    from ascendify.catalog.options import Option, PseudoOption

_PANEL = "NPU options"

FLAGS = {
    "precision_mode": "--precision-mode",
    "precision_mode_v2": "--precision-mode-v2",
    "modify_mixlist": "--modify-mixlist",
    "loss_scale": "--loss-scale",
    "iterations_per_loop": "--iterations-per-loop",
    "enable_dump": "--enable-dump",
    "dump_path": "--dump-path",
    "dump_step": "--dump-step",
    "dump_mode": "--dump-mode",
    "over_dump": "--over-dump",
    "profiling_mode": "--profiling",
    "profiling_options": "--profiling-options",
    "aoe_mode": "--aoe-mode",
}
"""Settings that people made by hand in most projects they ported, and the flag that makes each."""

Npu = Annotated[
    Optional[list[str]],
    typer.Option(
        "--npu", metavar="KEY=VALUE", rich_help_panel=_PANEL, help="Set any other NPU option."
    ),
]


def with_npu_flags(command: Callable[..., None]) -> Callable[..., None]:
    """Add the flags above to a command with the parameter ``npu``, which also gets their values."""

    @functools.wraps(command)
    def with_flags(**given: Any) -> None:
        flagged = {key: given.pop(key) for key in FLAGS}
        pairs = [f"{key}={value}" for key, value in flagged.items() if value is not None]
        command(**{**given, "npu": [*pairs, *(given["npu"] or ())]})

    flags = [
        inspect.Parameter(key, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=_flag(key))
        for key in FLAGS
    ]
    # typer builds the command line from the signature.
    signature = inspect.signature(command)
    shown = [*signature.parameters.values(), *flags]
    vars(with_flags)["__signature__"] = signature.replace(parameters=shown)
    with_flags.__annotations__ = {parameter.name: parameter.annotation for parameter in shown}
    return with_flags


def pairs(values: Iterable[str] | None) -> dict[str, object]:
    """Read ``KEY=VALUE`` arguments as options; an option given twice must have one value."""
    from ascendify.errors import UsageError

    options: dict[str, object] = {}
    for word in values or ():
        key, equals, value = word.partition("=")
        if not (key and equals):
            raise UsageError(
                f"--npu {word} is not KEY=VALUE", "for example --npu hcom_parallel=true"
            )
        name = key.strip().replace("-", "_")
        if options.setdefault(name, value) != value:
            raise UsageError(
                f"the NPU option {name} is given twice: {options[name]} and {value}", "give it once"
            )
    return options


def _flag(key: str) -> Any:
    option = _known()[key]
    switch = option.expected == "true or false"
    declared = typer.Option(
        FLAGS[key],
        metavar=None if switch else "VALUE",
        rich_help_panel=_PANEL,
        help=option.meaning if switch else f"{option.meaning} ({option.expected})",
    )
    return Annotated[Optional[bool] if switch else Optional[str], declared]


def _known() -> dict[str, Option | PseudoOption]:
    from ascendify.catalog.options import all_options, pseudo_options

    return {
        **{option.key: option for option in all_options()},
        **{option.key: option for option in pseudo_options()},
    }
