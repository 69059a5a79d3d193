"""Placement settings: soft placement on, the placement log off."""

from __future__ import annotations

from ascendify.rules.kit import CallSite, Diagnoses, Rule, Status
from ascendify.rules.kit.names import of_both

RULE = Rule(
    code="TF2-DEV-2",
    title="Allow soft placement and log no placements",
    why=(
        "Without soft placement an operator that the NPU does not have stops the program instead "
        "of running on the host. The placement log shows TensorFlow's own devices."
    ),
    statuses=(Status.AUTO,),
    before="tf.config.set_soft_device_placement(False)",
    after="tf.config.set_soft_device_placement(True)",
)

_WRONG = {
    **dict.fromkeys(of_both("tf.config.set_soft_device_placement"), False),
    **dict.fromkeys(of_both("tf.debugging.set_log_device_placement"), True),
}
_WHAT = {
    False: "stops the program where an operator cannot run on the NPU",
    True: "logs devices that say nothing about the NPU",
}


@RULE.call(*_WRONG)
def mend_switch(site: CallSite) -> Diagnoses:
    """``tf.config.set_soft_device_placement(False)``."""
    value, wrong = site.args.value("enabled"), _WRONG[site.name]
    if value is None or site.file.literal(value) != (wrong,):
        return
    fix = site.fix()
    fix.replace(value, str(not wrong))
    found = f"{site.brief} {_WHAT[wrong]}"
    yield RULE.auto(site.at(value), found, done=f"Set it to {not wrong}.", fix=fix)
