"""NPU options written by hand: report different numbers of steps in one run."""

from __future__ import annotations

from ascendify.rules.kit import Diagnoses, File, Rule, Status
from ascendify.rules.tf1 import _npu_entry
from ascendify.rules.tf1._same_process import mentioned

RULE = Rule(
    code="TF1-NPU-8",
    title="Loop as many steps as the option says",
    why=(
        "iterations_per_loop is the number of steps the device expects in one run, and "
        "set_iteration_per_loop how many to do. When they differ, or the second is missing, "
        "training stops or does one step where it counts several."
    ),
    statuses=(Status.MANUAL,),
    before=(
        'custom_op.parameter_map["iterations_per_loop"].i = 10\n'
        "train_op = util.set_iteration_per_loop(sess, train_op, 100)"
    ),
)

_SETTERS = (
    "npu.util.set_iteration_per_loop",
    "npu.util.IterationPerLoop",
    "npu.SetIterationsVarHook",
)


@RULE.file
def mismatch(file: File) -> Diagnoses:
    """The option and the call that must agree with it."""
    for item in _npu_entry.npu_parameters(file):
        if item.key != "iterations_per_loop" or item.field != "i":
            continue
        expected = file.literal(item.value)
        if expected is None or len(expected) != 1:
            continue
        for call in file.calls("npu.util.set_iteration_per_loop"):
            given = call.node.args[2] if len(call.node.args) > 2 else None
            actual = None if given is None else file.literal(given)
            if given is not None and actual is not None and actual != expected:
                yield RULE.manual(
                    file.at(given),
                    f"set_iteration_per_loop is given {actual[0]}, and iterations_per_loop is "
                    f"{expected[0]}",
                    todo="Give both the same number, best from one variable.",
                )
        if expected != (1,) and not mentioned(file, *_SETTERS):
            yield RULE.manual(
                file.at(item.target),
                f"iterations_per_loop is {expected[0]}, and nothing loops the train step",
                todo=(
                    f"After the variables are initialised write train_op = "
                    f"util.set_iteration_per_loop(sess, train_op, {expected[0]}) (from "
                    "npu_bridge.npu_init), and run it that many times less often; or set the "
                    "option to 1."
                ),
            )
