"""Devices chosen by a function: parameter servers, and device functions of the project."""

from __future__ import annotations

from collections.abc import Iterator

from ascendify.findings import Effort, Status
from ascendify.rules.rule import Diagnosis, Rule
from ascendify.rules.site import CallSite
from ascendify.rules.tf1 import _devices

RULE = Rule(
    code="TF1-DEV-3",
    title="Do not place variables by a device function",
    why=(
        "A device function spreads variables and operators over jobs and GPUs. On NPUs every "
        "process holds the whole model on one device; variables on /job:ps have no server to live "
        "on in a session."
    ),
    statuses=(Status.MANUAL, Status.INFO),
    before="with tf.device(tf.train.replica_device_setter(FLAGS.ps_tasks)):\n    ...",
)


@RULE.call("tf.train.replica_device_setter")
def tell_setter(site: CallSite) -> Iterator[Diagnosis]:
    """``replica_device_setter``: without parameter servers it gives None and does nothing."""
    args, file = site.args, site.file
    tasks = args.value("ps_tasks")
    if not args.starred and "cluster" not in args:
        values = (0,) if tasks is None else file.literal(tasks)
        if values is not None and all(value in (0, None) for value in values):
            return
    way = "Remove the device scope"
    if tasks is not None and file.literal(tasks) is None:
        way = f"Run with {file.brief(tasks)} set to 0"
    yield site.finding(
        RULE,
        Status.MANUAL,
        f"{file.brief(site.node.func)} puts variables on parameter servers",
        todo=(
            f"{way}: without parameter servers this call does nothing. Start one process for each "
            "device instead of jobs of workers and servers."
        ),
        effort=Effort.MINUTES,
    )


@RULE.call("tf.device", "tf.Graph.device")
def tell_function(site: CallSite) -> Iterator[Diagnosis]:
    """``tf.device(function)``."""
    device = site.args.value("device_name_or_function")
    if device is None or not _devices.is_function(site.file, device):
        return
    yield site.finding(
        RULE,
        Status.INFO,
        f"{site.file.brief(site.node)} lets a function choose devices; GPU devices it gives have "
        "no effect on an NPU",
    )
