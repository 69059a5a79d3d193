"""NPU options written by hand: report names that the platform does not know."""

from __future__ import annotations

import difflib

from ascendify.catalog import options
from ascendify.catalog.knowledge import parameters
from ascendify.rules.kit import CallSite, Diagnoses, File, Rule, Status
from ascendify.rules.tf1 import _npu_entry

RULE = Rule(
    code="TF1-NPU-1",
    title="Use option names the NPU knows",
    why=(
        "The adapter silently ignores unknown names in parameter_map, so a misspelt "
        "option is an option that is not set. NPURunConfig raises TypeError for them."
    ),
    statuses=(Status.MANUAL,),
    before='custom_op.parameter_map["sump_mode"].s = tf.compat.as_bytes("all")',
)

CONFIGS = (
    "npu.NPURunConfig", "npu.ProfilingConfig", "npu.DumpConfig", "npu.MemoryConfig",
    "npu.DynamicInputConfig", "npu.ExperimentalConfig", "npu.GraphMemoryOptimizeConfig",
)  # fmt: skip
_REPLACED = ("auto_tune_mode",)
"""Names of options that no longer exist, which another rule rewrites."""


@RULE.file
def unknown_parameters(file: File) -> Diagnoses:
    """Keys of ``parameter_map`` that the adapter ignores."""
    for item in _npu_entry.npu_parameters(file):
        problem = options.check_parameter(item.key, item.field)
        if problem is None or problem.kind != "unknown-key" or item.key in _REPLACED:
            continue
        near = options.option(problem.suggestion) if problem.suggestion else None
        message = problem.message if near is None else f"the NPU has no option {item.key!r}"
        yield RULE.manual(file.at(item.target), message, todo=_advice(near))


def _advice(near: options.Option | None) -> str:
    """What to write instead of an unknown key."""
    if near is not None and near.rewrite:
        key, value = next(iter(near.rewrite.items()))
        return f'Write parameter_map["{key}"].s = tf.compat.as_bytes("{value}"), its successor.'
    if near is None or near.no_effect or near.internal:
        return "Remove the line, or look the option up in the documentation of your release."
    return f'Write parameter_map["{near.key}"].{near.field} if that is what you mean.'


@RULE.call(*CONFIGS)
def unknown_arguments(site: CallSite) -> Diagnoses:
    """Arguments that a config class does not have."""
    known = parameters(site.name)
    class_name = site.name.rpartition(".")[2]
    for argument in site.args:
        if argument.keyword is None or argument.name in (*known, *_REPLACED):
            continue
        yield RULE.manual(
            site.at(argument.node),
            f"{class_name} has no argument {argument.name!r} and raises TypeError",
            todo=_hint(argument.name, known),
        )


def _hint(name: str, known: tuple[str, ...]) -> str:
    home = next((item for item in options.all_options() if item.key == name), None)
    if home is not None and home.helper is not None:
        place = options.run_config_helpers()[home.helper]
        return f"Pass it in {place}={home.helper}(...)."
    if home is not None and home.run_config is None:
        return "NPURunConfig cannot set it; remove it."
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.7)
    return f"Write {near[0]} if that is what you mean." if near else "Remove it."
