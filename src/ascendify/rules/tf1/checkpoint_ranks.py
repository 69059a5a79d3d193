"""Checkpoints of estimators on several devices: one rank must save them, by steps."""

from __future__ import annotations

import ast
import re

from ascendify.rules.kit import CallSite, Diagnoses, Diagnosis, File, Rule, Status
from ascendify.rules.tensorflow.passing import uses
from ascendify.rules.tf1 import _estimator, _npu
from ascendify.source.flow import backward
from ascendify.source.nodes import conditions_around

RULE = Rule(
    code="TF1-CKPT-1",
    title="Let one rank save the checkpoints of an estimator",
    why=(
        "Every rank is a process of its own and saves what its run config says. Ranks that share "
        "a file system overwrite each other's checkpoints, and saving by seconds makes them save "
        "at different steps, which is not allowed in runs on several devices."
    ),
    statuses=(Status.MANUAL,),
    before=(
        "config = tf.estimator.RunConfig(model_dir=out, save_checkpoints_steps=1000)\n"
        "estimator = tf.estimator.Estimator(model_fn, config=config)\n"
        "estimator.train(input_fn)"
    ),
)

_RANK = re.compile(r"rank|master|chief|is_main|RANK_ID|DEVICE_ID", re.I)
"""Words in names that distinguish one rank from the others."""


@RULE.call(_estimator.RUN_CONFIG, "npu.NPURunConfig", *_estimator.TPU_RUN_CONFIGS)
def check_run_config(site: CallSite) -> Diagnoses:
    """A run config that makes every rank save checkpoints."""
    file, arguments = site.file, site.args
    if file.facts.distributed == "none" or arguments.starred:
        return
    steps = _setting(site, "save_checkpoints_steps")
    seconds = _setting(site, "save_checkpoints_secs")
    if seconds is not None and _estimator.is_trained(file, site.node):
        yield RULE.manual(
            site.at(seconds),
            f"save_checkpoints_secs={file.brief(seconds)} lets ranks save at different steps",
            todo=f"Save by steps: save_checkpoints_steps=<n> if {_npu.RANK_ID} == 0 else 0.",
        )
        return
    given = {item.name for item in arguments}
    if steps is None and given & {"save_checkpoints_steps", "save_checkpoints_secs"}:
        return
    hints = [steps, arguments.value("model_dir"), *_folders(site), *conditions_around(site.node)]
    if any(_depends_on_rank(file, item) for item in hints if item is not None):
        return
    if _estimator.is_trained(file, site.node):
        yield _shared(site, "100" if steps is None else file.brief(steps))


@RULE.call(_estimator.ESTIMATOR)
def check_estimator(site: CallSite) -> Diagnoses:
    """An estimator without a run config: every rank saves by default."""
    file = site.file
    config, folder = site.args.value("config"), site.args.value("model_dir")
    if file.facts.distributed == "none" or site.args.starred or config is not None:
        return
    hints = [*([folder] if folder is not None else []), *conditions_around(site.node)]
    by_rank = any(_depends_on_rank(file, item) for item in hints)
    if not by_rank and _estimator.is_trained(file, site.node):
        yield _shared(site, "100")


def _shared(site: CallSite, steps: str) -> Diagnosis:
    return RULE.manual(
        site,
        f"{site.callee} lets every rank save checkpoints",
        todo=(
            f"Save on one rank only: save_checkpoints_steps={steps} if {_npu.RANK_ID} == 0 "
            "else 0. Where ranks do not share a file system, or each has its own model_dir, "
            "no change is needed."
        ),
    )


def _setting(site: CallSite, name: str) -> ast.expr | None:
    """The value of a save setting, None when it is absent or switches saving off."""
    given = site.args.value(name)
    literal = None if given is None else site.file.literal(given)
    off = literal is not None and all(value in (None, 0) for value in literal)
    return None if off else given


def _folders(site: CallSite) -> list[ast.expr]:
    """The folders given to the estimators a run config reaches, as far as they stand here."""
    return [
        keyword.value
        for use in uses(site.file.resolver, site.file.module, site.node).calls
        if use.module is site.file.module
        for keyword in use.call.keywords
        if keyword.arg == "model_dir"
    ]


def _depends_on_rank(file: File, node: ast.expr) -> bool:
    """Whether an expression, or what is assigned to the variable it is, depends on the rank."""
    if _RANK.search(file.text(node)):
        return True
    if not isinstance(node, ast.Name):
        return False
    bindings = backward.bindings(node)
    return any(
        binding.kind == "param"
        or (binding.value is not None and _RANK.search(file.text(binding.value)) is not None)
        for binding in bindings
    )
