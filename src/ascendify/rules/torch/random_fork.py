"""Pass the NPU to fork_rng, which saves the random state of devices."""

from __future__ import annotations

from ascendify.rules.kit import CallSite, Diagnoses, Rule, Status

RULE = Rule(
    code="TORCH-RAND-1",
    title="Set device_type='npu' for fork_rng",
    why=(
        "fork_rng treats devices as GPUs by default; new releases of torch detect the accelerator, "
        "old ones do not. Without device_type the NPU's random state is not restored, so the code "
        "that follows gets other random numbers."
    ),
    statuses=(Status.AUTO, Status.MANUAL),
    before="with torch.random.fork_rng(devices=[0]):\n    noise = sample()",
    after='with torch.random.fork_rng(devices=[0], device_type="npu"):\n    noise = sample()',
)


@RULE.call("torch.random.fork_rng")
def add_type(site: CallSite) -> Diagnoses:
    """Add the argument with transfer_to_npu too, which does not change this function."""
    if "device_type" in site.args or _is_for_cpu(site):
        return
    found = f"{site.callee} saves the random state of GPUs, not of NPUs"
    if site.args.starred:
        todo = 'Pass device_type="npu", unless the * or ** arguments already do.'
        yield RULE.manual(site, found, todo=todo)
        return
    fix = site.fix()
    fix.add_argument(site.node, 'device_type="npu"')
    done = 'Added device_type="npu", which torch 2.1 and newer have.'
    yield RULE.auto(site, found, done=done, fix=fix)


def _is_for_cpu(site: CallSite) -> bool:
    """Whether the list of devices is empty, so that only the CPU's state is saved."""
    devices = site.args.value("devices")
    return devices is not None and site.file.text(devices).strip() in ("[]", "()")
