"""fork_rng keeps the random state of the NPU too."""

from __future__ import annotations

from ascendify.rules.kit import CallSite, Diagnoses, Rule, Status

RULE = Rule(
    code="TORCH-RAND-1",
    title="Tell fork_rng that the devices are NPUs",
    why=(
        "fork_rng takes the devices for GPUs unless it is told otherwise; newer torch asks which "
        "accelerator there is, older torch does not. Without device_type the NPU's random state is "
        "not put back, and what follows draws other numbers."
    ),
    statuses=(Status.AUTO, Status.MANUAL),
    before="with torch.random.fork_rng(devices=[0]):\n    noise = sample()",
    after='with torch.random.fork_rng(devices=[0], device_type="npu"):\n    noise = sample()',
)


@RULE.call("torch.random.fork_rng")
def add_type(site: CallSite) -> Diagnoses:
    """Also with the vendor's switch, which does not wrap this function."""
    if "device_type" in site.args or _is_for_cpu(site):
        return
    found = f"{site.callee} is not told that the devices are NPUs"
    if site.args.starred:
        todo = 'Pass device_type="npu", unless the * or ** arguments already do.'
        yield RULE.manual(site, found, todo=todo)
        return
    fix = site.fix()
    fix.add_argument(site.node, 'device_type="npu"')
    done = 'Added device_type="npu", which torch 2.1 and newer have.'
    yield RULE.auto(site, found, done=done, fix=fix)


def _is_for_cpu(site: CallSite) -> bool:
    """Whether no device is given, so that only the CPU's state is kept."""
    devices = site.args.value("devices")
    return devices is not None and site.file.text(devices).strip() in ("[]", "()")
