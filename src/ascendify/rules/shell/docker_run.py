"""Containers started with GPUs: report them."""

from __future__ import annotations

import re

from ascendify.rules.kit import Diagnoses, Rule, Status, TextSite
from ascendify.rules.shell import _script
from ascendify.rules.shell._script import Command
from ascendify.source.entries import read

RULE = Rule(
    code="SH-DOCKER-1",
    title="Give containers NPUs instead of GPUs",
    why=(
        "nvidia-docker, --gpus and --runtime=nvidia put GPUs and NVIDIA's driver into a container. "
        "An NPU container needs the NPU's device files and driver."
    ),
    statuses=(Status.MANUAL,),
    before="docker run --gpus all -it image bash",
)

_GPU_FLAG = re.compile(r"--gpus(?:=.*)?|--runtime=nvidia|NVIDIA_VISIBLE_DEVICES=.*")
_TODO = (
    "Give the container the devices: --device=/dev/davinci0 (one for each device) "
    "--device=/dev/davinci_manager --device=/dev/devmm_svm --device=/dev/hisi_hdc "
    "-v /usr/local/Ascend/driver:/usr/local/Ascend/driver:ro, or, where Ascend Docker Runtime is "
    "installed, -e ASCEND_VISIBLE_DEVICES=0-7. Use an image with CANN and the NPU's adapter for "
    "the framework."
)


@RULE.text("shell")
def report_container(site: TextSite) -> Diagnoses:
    """``docker run`` with GPUs, and ``nvidia-docker`` whatever it does."""
    if "docker" not in site.text:
        return
    for command in _script.commands(site.text):
        if command.name == "nvidia-docker" or (
            command.name in ("docker", "podman") and _asks_for_gpus(command)
        ):
            yield RULE.manual(
                site.at(command.rest[0].start, command.end),
                f"{command.rest[0].text} starts a container with GPUs",
                todo=_TODO,
            )


@RULE.text("config")
def report_service(site: TextSite) -> Diagnoses:
    """A service of Docker Compose, or a development container, with GPUs."""
    if "services" not in site.text and "runArgs" not in site.text:
        return
    for entry in read(site.path, site.text):
        service = entry.keys[: entry.keys.index("services") + 2] if "services" in entry.keys else ()
        own = str(entry.keys[-1]).lower() if entry.keys else ""
        if service:
            asks = (
                (own in ("driver", "runtime") and entry.value == "nvidia")
                or own == "gpus"
                or (entry.name == "capabilities" and entry.value == "gpu")
            )
        else:
            asks = entry.name.lower() == "runargs" and _GPU_FLAG.fullmatch(entry.value) is not None
        if not asks:
            continue
        shown = entry.value if entry.is_item else f"{own}: {entry.value}"
        yield RULE.manual(
            site.at(entry.key_start, entry.end),
            f"{shown} gives a service GPUs",
            todo=(
                "Remove it, and list the NPU's device files under devices: (/dev/davinci0 and "
                "so on, /dev/davinci_manager, /dev/devmm_svm, /dev/hisi_hdc) and "
                "/usr/local/Ascend/driver under volumes:; or, where Ascend Docker Runtime is "
                "installed, write runtime: ascend and set ASCEND_VISIBLE_DEVICES."
            ),
            cause=f"{site.path} {service}" if service else "",
        )


def _asks_for_gpus(command: Command) -> bool:
    values = [word.value for word in command.rest]
    runtime = any(pair == ("--runtime", "nvidia") for pair in zip(values, values[1:]))
    return runtime or any(_GPU_FLAG.fullmatch(value) for value in values)
