"""hvd.broadcast_global_variables: an operation that copies the variables of one rank to all."""

from __future__ import annotations

from ascendify.rules.horovod import _horovod
from ascendify.rules.kit import CallSite, Diagnoses, Rule, Status, names
from ascendify.rules.tf1 import _distributed, _npu

RULE = Rule(
    code="TF1-HVD-6",
    title="Broadcast variables with HCCL and assign what arrives",
    why=(
        "Ranks that start from different weights do not train one model. HCCL's broadcast gives "
        "back what the root rank sent; without an assignment the variables keep their own values."
    ),
    statuses=(Status.AUTO_CHECK, Status.MANUAL),
    before="sess.run(hvd.broadcast_global_variables(0))",
    after=(
        "def npu_broadcast(variables, root_rank):\n"
        '    """Operation that gives every rank the float variables of the root rank."""\n'
        "    return tf.group(*[\n"
        "        tf.assign(variable, hccl_ops.broadcast([variable], root_rank)[0])\n"
        "        for variable in variables if variable.dtype.base_dtype.is_floating])\n"
        "\n\n"
        "sess.run(npu_broadcast(tf.global_variables(), 0))"
    ),
    safety="Integer variables such as the global step are not sent; each rank keeps its own.",
)


@RULE.call(*_horovod.BROADCASTS)
@_horovod.directly
def broadcast(site: CallSite) -> Diagnoses:
    """Call a helper with the same parameters; without variables, it broadcasts the global ones."""
    shown = site.callee
    found = f"{shown} sends variables with Horovod"
    every = site.name == _horovod.BROADCASTS[0]
    needed = {"root_rank"} if every else {"variables", "root_rank"}
    if site.args.starred or set(site.args.by_name) != needed or site.args.surplus:
        yield RULE.manual(
            site,
            found,
            todo=(
                "Build tf.group() over tf.assign(v, hccl_ops.broadcast([v], root_rank)[0]) for "
                "each float variable v and run it once after variables are initialised or restored."
            ),
        )
        return
    fix = site.fix()
    fix.replace(
        site.node.func,
        _distributed.broadcast_helper(fix, _npu.use(fix, "hccl_ops"), site.node),
    )
    if every:
        first = site.args.by_name["root_rank"].node
        variables = f"{names.tensorflow(fix, site.node)}.global_variables(), "
        fix.wrap(first, variables, "")
    yield RULE.auto_check(
        site,
        found,
        done=f"Replaced {shown} by a function that broadcasts with HCCL and assigns the result.",
        todo=(
            "Integer variables such as the global step are not sent: where just one rank restores "
            "a checkpoint, let every rank restore it."
        ),
        fix=fix,
    )
