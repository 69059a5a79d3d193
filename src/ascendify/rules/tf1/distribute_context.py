"""Input contexts and replica contexts: report code that needs a strategy to get them."""

from __future__ import annotations

import ast

from ascendify.rules.kit import Diagnoses, File, Rule, Site, Status
from ascendify.rules.tf1 import _npu

RULE = Rule(
    code="TF1-DIST-2",
    title="Use ranks instead of a strategy's contexts",
    why=(
        "Without a strategy there is no input context and no replica context. Input "
        "functions that shard by the context would read all samples on every device."
    ),
    statuses=(Status.MANUAL,),
    before=(
        "def input_fn(input_context=None):\n"
        "    if input_context:\n"
        "        dataset = dataset.shard(\n"
        "            input_context.num_input_pipelines, input_context.input_pipeline_id)"
    ),
)

_INPUT = frozenset({"num_input_pipelines", "input_pipeline_id", "get_per_replica_batch_size"})
"""Members that only an input context has."""
_CONTEXTS = tuple(
    f"tf.distribute.{name}"
    for name in ("get_replica_context", "get_strategy", "in_cross_replica_context", "has_strategy",
                 "experimental_set_strategy")
)  # fmt: skip


@RULE.file
def report_input_contexts(file: File) -> Diagnoses:
    """An input context that a function reads, once per function."""
    reported: set[int] = set()
    for node in file.module.index.ending(_INPUT):
        if not isinstance(node, ast.Attribute):
            continue
        context = file.brief(node.value)
        kinds, certain = file.resolver.kinds(file.module, node.value)
        if certain and kinds != ("tf.distribute.InputContext",):
            continue
        scope = getattr(node.value, "scope", None)
        if id(scope) in reported:
            continue
        reported.add(id(scope))
        yield RULE.manual(
            file.at(node),
            f"{file.brief(node)} comes from a strategy; without one there is no {context}",
            todo=(
                f"Do it for every process: use {_npu.RANK_SIZE} for the number of pipelines and "
                f"{_npu.RANK_ID} for this one, and drop conditions on {context}."
            ),
        )


@RULE.reference(*_CONTEXTS)
def report_replica_contexts(site: Site) -> Diagnoses:
    """Code that gets the strategy or replica it runs in."""
    yield RULE.manual(
        site,
        f"{site.text} gets the strategy that code runs in, and there is none",
        todo=(
            "Write it for one device per process: reduce with npu_allreduce() of "
            f"npu_bridge.npu_init, count with {_npu.RANK_SIZE}."
        ),
    )
