"""Examine the health of the devices, as npu-smi reports it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ascendify.cluster.codes import explain
from ascendify.cluster.doctor.machine import Machine
from ascendify.cluster.doctor.npu_smi import Chip, NpuSmiInfo, health
from ascendify.cluster.doctor.observation import Observation, Subject

SUBJECT = Subject("health")
_HEALTHY = "OK"
_MINOR = "Warning"
_UNEXPLAINED_SHARE = 0.2
"""Share of a device's memory; the driver itself takes about a twentieth."""


def observe(machine: Machine, smi: NpuSmiInfo, has_nodes: bool) -> Iterator[Observation]:
    """Report devices that are not healthy, and memory that no process holds."""
    if smi.program is None:
        yield SUBJECT.not_seen("npu-smi is not installed here")
        return
    if smi.failure:
        known = explain([smi.failure])
        advice = known[0].code.fix if known else "see dmesg; restart the server if the driver hangs"
        kind = SUBJECT.problem if has_nodes else SUBJECT.not_seen
        yield kind(f"npu-smi failed: {smi.failure}", advice)
        return
    ill = [chip for chip in smi.chips if chip.health != _HEALTHY]
    if not ill:
        names = Counter(chip.name for chip in smi.chips)
        models = ", ".join(f"{count} x {name}" for name, count in names.items())
        yield SUBJECT.ok(f"{models}: all OK")
    for chip in ill:
        yield _ill(machine, smi, chip)
    yield from _memory(smi)


def _ill(machine: Machine, smi: NpuSmiInfo, chip: Chip) -> Observation:
    details = dict.fromkeys(health(machine, str(smi.program), chip.npu))
    more = f" ({'; '.join(details)})" if details else ""
    text = f"NPU {chip.npu} chip {chip.chip} ({chip.name}) is {chip.health}{more}"
    if chip.health == _MINOR:
        return SUBJECT.warning(text, f"npu-smi info -t health -i {chip.npu}; watch it")
    return SUBJECT.problem(
        text, f"leave it out, or reset it: npu-smi set -t reset -i {chip.npu} -c {chip.chip}"
    )


def _memory(smi: NpuSmiInfo) -> Iterator[Observation]:
    held = {holder.npu for holder in smi.holders}
    for chip in smi.chips:
        if chip.npu not in held and chip.used_mb > _UNEXPLAINED_SHARE * chip.total_mb > 0:
            yield SUBJECT.warning(
                f"NPU {chip.npu} chip {chip.chip} has {chip.used_mb} of {chip.total_mb} MB in use, "
                "and npu-smi names no process",
                "look on the host and in other containers for what holds it",
            )
