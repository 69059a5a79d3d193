"""What strategies tell code that runs inside them: input contexts and replica contexts."""

from __future__ import annotations

import ast

from ascendify.rules.kit import Diagnoses, File, Rule, Site, Status

RULE = Rule(
    code="TF1-DIST-2",
    title="Ask for ranks instead of a strategy's contexts",
    why=(
        "Without a strategy nobody passes an input context, and there is no replica to ask. Input "
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
_CONTEXTS = (
    "tf.distribute.get_replica_context",
    "tf.distribute.get_strategy",
    "tf.distribute.in_cross_replica_context",
    "tf.distribute.has_strategy",
    "tf.distribute.experimental_set_strategy",
)


@RULE.file
def tell_input_contexts(file: File) -> Diagnoses:
    """Tell once a function of an input context it reads."""
    told: set[int] = set()
    for node in file.module.index.ending(_INPUT):
        if not isinstance(node, ast.Attribute):
            continue
        context = file.brief(node.value)
        kinds, certain = file.resolver.kinds(file.module, node.value)
        if certain and kinds != ("tf.distribute.InputContext",):
            continue
        scope = getattr(node.value, "scope", None)
        if id(scope) in told:
            continue
        told.add(id(scope))
        yield RULE.manual(
            file.at(node),
            f"{file.brief(node)} comes from a strategy; without one there is no {context}",
            todo=(
                f"Do it for every process: use int(os.getenv('RANK_SIZE', '1')) for the number of "
                f"pipelines and int(os.getenv('RANK_ID', '0')) for this one, and drop conditions "
                f"on {context}."
            ),
        )


@RULE.reference(*_CONTEXTS)
def tell_replica_contexts(site: Site) -> Diagnoses:
    """Tell of code that asks which strategy or replica it runs in."""
    yield RULE.manual(
        site,
        f"{site.text} asks for the strategy that code runs in",
        todo=(
            "Write it for one device a process: reduce with npu_allreduce() of "
            "npu_bridge.npu_init, count with int(os.getenv('RANK_SIZE', '1'))."
        ),
    )
