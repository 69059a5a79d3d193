"""Kubernetes with Volcano: a job of one pod per server; the pods start together or not at all.

Devices and their addresses are known when Kubernetes has chosen the servers. On clusters with
Ascend's device plugin a controller then writes the rank table into a ConfigMap whose name begins
with ``rings-config-``; the pods wait for it. The programs for a pod come from another ConfigMap, so
an image needs Python 3.6 and the training's own packages, but not ascendify.

The names are those of the samples of MindX DL (now MindCluster) for Volcano jobs.
"""

from __future__ import annotations

import json
import math
import re
import shlex
import shutil
from collections.abc import Iterator, Mapping

from ascendify.errors import UsageError
from ascendify.jobs import run as jobs
from ascendify.jobs.blame import consequences
from ascendify.jobs.job import Job
from ascendify.jobs.unset import UNSET
from ascendify.launch import remote, yaml
from ascendify.launch.engines import Engine, EngineInput, HandedOver, check_on_npus, check_values
from ascendify.launch.yaml import Value
from ascendify.processes.commands import run_program

FILE = "job.yaml"
TASK = "worker"
PROGRAMS = "/etc/ascendify"
TABLE_FOLDER = "/user/serverid/devindex/config"
"""Where MindX DL's samples mount the ConfigMap with the rank table."""
OPTIONS = {
    "image": "the container image, with Python and the training's packages",
    "namespace": "of the job; default",
    "resource": "what a device is called; huawei.com/Ascend910",
    "workdir": "the project's folder in the pods; the same as here",
    "logs": "a folder of the pods for the ranks' logs, best on a shared volume; /tmp/ascendify",
    "volumes": "more volumes, separated by commas: /host:/pod, /host:/pod:ro, pvc:NAME:/pod, "
    "nfs:SERVER:/path:/pod",
    "mounts": "no: the driver and npu-smi are not mounted, as the Ascend container runtime does it",
    "driver": "where servers have the driver; /usr/local/Ascend/driver",
    "npu_smi": "where servers have npu-smi; /usr/local/bin/npu-smi",
    "host_network": "no: pods have networks of their own",
    "visible": "no: ASCEND_VISIBLE_DEVICES is not taken from the pod's annotation",
    "label": "ring-controller.atlas, which the table's controller looks for; ascend-910",
    "wait": "seconds to wait for the rank table; 600",
    "selector": "labels that the servers must have: accelerator-type=module,host-arch=huawei-arm",
    "queue": "Volcano's queue; default",
    "priority": "the priority class",
    "cpu": "cores of each pod, such as 96",
    "memory": "memory of each pod, such as 200Gi",
    "shm": "size of /dev/shm; 16Gi",
    "account": "the service account of the pods",
    "pull": "when the image is fetched: IfNotPresent, Always or Never",
    "pull_secret": "the secret to fetch the image with",
    "setup": "a shell script of the image that is sourced first, such as CANN's set_env.sh",
    "python": "the Python of the image that runs our programs; python3",
    "submit": "yes: hand the job to kubectl apply",
    "kubectl": "the program, with options: kubectl --context=training",
}
_PLACE = (
    *("RANK_ID", "RANK", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "GROUP_RANK"),
    *("DEVICE_ID", "ASCEND_DEVICE_ID", "MASTER_ADDR", "CM_CHIEF_IP"),
)
"""Variables whose values are known only in the pod."""
_MADE_HERE = ("RANK_TABLE_FILE", "ASCEND_RT_VISIBLE_DEVICES")
"""Variables that hold for this machine only: a pod has its own folders and devices."""
_LABEL = re.compile(r"[A-Za-z0-9](?:[\w.-]{0,61}[A-Za-z0-9])?", re.ASCII)
_RESOURCE = re.compile(r"[a-z0-9.-]+/[A-Za-z0-9_.-]+")
_QUANTITY = re.compile(r"[0-9]+(?:\.[0-9]+)?(?:m|[kKMGTP]i?)?")
_LONGEST_NAME = 48
"""Volcano appends the task's name and numbers, and Kubernetes allows 63 characters."""
_MOST_BYTES = 1 << 20
"""The largest size of a ConfigMap."""


def name_of(job: Job) -> str:
    """Return the job's name in a form that Kubernetes accepts."""
    name = re.sub(r"[^a-z0-9]+", "-", job.name.lower()).strip("-")[:_LONGEST_NAME].strip("-")
    return f"job-{name}" if not name[:1].isalpha() else name


def _check(given: EngineInput) -> None:
    jobs.check_supervision(given.supervision)
    options = given.options
    check_on_npus(given, "kubernetes")
    if not options.get("image"):
        raise UsageError("no image for the pods", "name one with -O image=REGISTRY/NAME:TAG")
    check_values(given, "mounts", "host_network", "visible", "submit")
    _check_options(options)
    try:
        text = dry_run(given)
        text.encode()
    except UnicodeEncodeError as error:
        raise UsageError(
            f"the command or a variable is not text: {error.reason}", "Kubernetes takes UTF-8 only"
        ) from None
    if len(text) > _MOST_BYTES:
        raise UsageError("the job is larger than a ConfigMap may be", "shorten the command")


def _check_options(options: Mapping[str, str]) -> None:
    for name, pattern, example in (
        ("namespace", _LABEL, "vcjob"),
        ("resource", _RESOURCE, "huawei.com/Ascend910"),
        ("label", _LABEL, "ascend-910b"),
        ("queue", _LABEL, "default"),
        ("cpu", _QUANTITY, "96"),
        ("memory", _QUANTITY, "200Gi"),
        ("shm", _QUANTITY, "16Gi"),
        ("wait", re.compile("[0-9]{1,6}"), "600"),
    ):
        if name in options and pattern.fullmatch(options[name]) is None:
            raise UsageError(f"-O {name}={options[name]} cannot be", f"such as {name}={example}")
    for name in ("workdir", "logs", "driver", "npu_smi"):
        if not options.get(name, "/").startswith("/"):
            raise UsageError(f"-O {name}={options[name]} is no path", "it must begin with /")


def dry_run(given: EngineInput) -> str:
    """Return the job as YAML."""
    return yaml.dump(list(_documents(given)))


def _documents(given: EngineInput) -> Iterator[Mapping[str, Value]]:
    name = name_of(given.job)
    if given.job.table:
        yield _config_map(
            given,
            f"rings-config-{name}",
            {"hccl.json": json.dumps({"status": "initializing"})},
            _label(given),
        )
    files = {
        "job.json": json.dumps(_job(given), indent=1) + "\n",
        **{file: remote.text(file) for file in ("pod.py", "nodes.py")},
        "agent.py": remote.agent(),
    }
    yield _config_map(given, f"{name}-ascendify", files, {})
    yield _volcano_job(given, name)


def _config_map(
    given: EngineInput, name: str, data: Mapping[str, str], labels: Mapping[str, str]
) -> Mapping[str, Value]:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {**_metadata(given, name), **({"labels": labels} if labels else {})},
        "data": data,
    }


def _metadata(given: EngineInput, name: str) -> Mapping[str, Value]:
    return {"name": name, "namespace": given.options.get("namespace", "default")}


def _label(given: EngineInput) -> dict[str, str]:
    return {"ring-controller.atlas": given.options.get("label", "ascend-910")}


def _job(given: EngineInput) -> Mapping[str, Value]:
    """Return the description of the job that every pod gets."""
    job, options = given.job, given.options
    first = job.ranks[0].environment
    servers = job.inventory.servers
    here = str(job.folder)
    folder = f"{options.get('logs', '/tmp/ascendify').rstrip('/')}/{job.name}"  # noqa: S108
    return {
        "command": list(job.command),
        "project": options.get("workdir", str(job.project)),
        "folder": folder,
        "unset": sorted(UNSET),
        "consequences": consequences(),
        "common": {
            key: folder + value[len(here) :] if value.startswith(here) else value
            for key, value in first.items()
            if key not in _MADE_HERE and not _is_place(job, key)
        },
        "files": job.extra_files,
        "place": [key for key in _PLACE if key in first and _is_place(job, key)],
        "servers": len(servers),
        "devices": len(servers[0].devices),
        "once": job.once,
        "first": f"{name_of(job)}-{TASK}-0.{name_of(job)}",
        "table": f"{TABLE_FOLDER}/hccl.json" if job.table else "",
        "wait": int(options.get("wait", "600")),
        "host_network": options.get("host_network") != "no",
        "grace": given.supervision.grace,
        "bind": given.supervision.bind,
    }


def _is_place(job: Job, key: str) -> bool:
    """Whether each pod sets this variable itself, because the user has not set it for all pods."""
    if key in ("MASTER_ADDR", "CM_CHIEF_IP"):
        servers = job.inventory.servers
        return len(servers) > 1 and job.ranks[0].environment[key] == servers[0].id
    if job.size == 1:
        return key in ("DEVICE_ID", "ASCEND_DEVICE_ID")
    return key in _PLACE


# --- the Volcano job


def _volcano_job(given: EngineInput, name: str) -> Mapping[str, Value]:
    servers = len(given.job.inventory.servers)
    retries = given.supervision.max_restarts
    failed = "RestartJob" if retries else "AbortJob"
    return {
        "apiVersion": "batch.volcano.sh/v1alpha1",
        "kind": "Job",
        "metadata": {**_metadata(given, name), "labels": _label(given)},
        "spec": {
            "schedulerName": "volcano",
            "queue": given.options.get("queue", "default"),
            "minAvailable": servers,
            "maxRetry": retries,
            **_fields_of(given, priorityClassName="priority"),
            "policies": [
                {"event": "PodFailed", "action": failed},
                {"event": "PodEvicted", "action": failed},
                {"event": "TaskCompleted", "action": "CompleteJob"},
            ],
            "plugins": {"env": [], "svc": ["--publish-not-ready-addresses=true"]},
            "tasks": [
                {
                    "name": TASK,
                    "replicas": servers,
                    "template": {
                        "metadata": {"labels": _label(given)},
                        "spec": _pod(given, name),
                    },
                }
            ],
        },
    }


def _fields_of(given: EngineInput, **names: str) -> dict[str, Value]:
    """Return the fields of the options that the user has given."""
    return {
        field: given.options[option] for field, option in names.items() if option in given.options
    }


def _pod(given: EngineInput, name: str) -> Mapping[str, Value]:
    options = given.options
    several = len(given.job.inventory.servers) > 1
    network: Mapping[str, Value] = {"hostNetwork": True, "dnsPolicy": "ClusterFirstWithHostNet"}
    secret = options.get("pull_secret")
    mounts = list(_mounts(given, name))
    timeout = given.supervision.timeout
    return {
        "restartPolicy": "Never",
        "terminationGracePeriodSeconds": math.ceil(given.supervision.grace) + 10,
        **({} if timeout is None else {"activeDeadlineSeconds": math.ceil(timeout)}),
        **(network if options.get("host_network") != "no" else {}),
        **_fields_of(given, serviceAccountName="account"),
        **({"imagePullSecrets": [{"name": secret}]} if secret else {}),
        **({"nodeSelector": _selector(options["selector"])} if "selector" in options else {}),
        **({"affinity": _apart(name)} if several else {}),
        "containers": [
            {
                "name": "ascend",
                "image": options["image"],
                "imagePullPolicy": options.get("pull", "IfNotPresent"),
                "command": _command(given),
                "env": list(_env(given)),
                "resources": _resources(given),
                "volumeMounts": [mount for mount, _ in mounts],
            }
        ],
        "volumes": [volume for _, volume in mounts],
    }


def _apart(name: str) -> Mapping[str, Value]:
    """Return the rule that no two pods of the job run on one server."""
    term: Mapping[str, Value] = {
        "labelSelector": {"matchLabels": {"volcano.sh/job-name": name}},
        "topologyKey": "kubernetes.io/hostname",
    }
    return {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}


def _selector(text: str) -> dict[str, Value]:
    found: dict[str, Value] = {}
    for part in text.split(","):
        key, equals, value = part.partition("=")
        if not key or not equals:
            raise UsageError(f"-O selector={text}: {part} is no label", "write NAME=VALUE")
        found[key.strip()] = value.strip()
    return found


def _command(given: EngineInput) -> list[Value]:
    python = given.options.get("python", "python3")
    arguments = [python, f"{PROGRAMS}/pod.py", f"{PROGRAMS}/job.json"]
    if "setup" not in given.options:
        return [*arguments]
    setup = shlex.quote(given.options["setup"])
    return ["/bin/bash", "-c", f"source {setup} && exec {shlex.join(arguments)}"]


def _env(given: EngineInput) -> Iterator[Mapping[str, Value]]:
    resource = given.options.get("resource", "huawei.com/Ascend910")
    fields = {"XDL_IP": "status.hostIP", "POD_IP": "status.podIP"}
    if given.options.get("visible") != "no":
        # which devices the pod has: the scheduler notes it, the container runtime reads it
        fields["ASCEND_VISIBLE_DEVICES"] = f"metadata.annotations['{resource}']"
    for name, path in fields.items():
        yield {"name": name, "valueFrom": {"fieldRef": {"fieldPath": path}}}


def _resources(given: EngineInput) -> Mapping[str, Value]:
    devices = len(given.job.inventory.servers[0].devices)
    wanted: dict[str, Value] = {
        given.options.get("resource", "huawei.com/Ascend910"): devices,
        **_fields_of(given, cpu="cpu", memory="memory"),
    }
    return {"limits": wanted, "requests": wanted}


_Mounted = tuple[Mapping[str, Value], Mapping[str, Value]]


def _mounts(given: EngineInput, name: str) -> Iterator[_Mounted]:
    """Return the volumes of the pods and the folders where containers mount them."""
    options = given.options
    programs: Value = {"name": f"{name}-ascendify"}
    yield _mount("ascendify", PROGRAMS, {"configMap": programs})
    if given.job.table:
        table: Value = {"name": f"rings-config-{name}"}
        # the name by which the controller knows which ConfigMap belongs to the job
        yield _mount("ascend-910-config", TABLE_FOLDER, {"configMap": table})
    size = options.get("shm", "16Gi")
    yield _mount("shm", "/dev/shm", {"emptyDir": {"medium": "Memory", "sizeLimit": size}})  # noqa: S108
    if options.get("mounts") != "no":
        driver = options.get("driver", "/usr/local/Ascend/driver")
        npu_smi = options.get("npu_smi", "/usr/local/bin/npu-smi")
        yield _mount("driver", "/usr/local/Ascend/driver", {"hostPath": {"path": driver}}, True)
        tool: Value = {"path": npu_smi, "type": "File"}
        yield _mount("npu-smi", "/usr/local/bin/npu-smi", {"hostPath": tool}, True)
        clock: Value = {"path": "/etc/localtime"}
        yield _mount("localtime", "/etc/localtime", {"hostPath": clock}, True)
    if "volumes" in options:
        for number, text in enumerate(options["volumes"].split(",")):
            yield _volume(f"volume-{number}", text.strip())


def _mount(name: str, path: str, source: Mapping[str, Value], read_only: bool = False) -> _Mounted:
    only: Mapping[str, Value] = {"readOnly": True} if read_only else {}
    return {"name": name, "mountPath": path, **only}, {"name": name, **source}


def _volume(name: str, text: str) -> _Mounted:
    kind, *parts = text.split(":")
    if kind == "pvc" and len(parts) == 2:
        return _mount(name, parts[1], {"persistentVolumeClaim": {"claimName": parts[0]}})
    if kind == "nfs" and len(parts) == 3:
        return _mount(name, parts[2], {"nfs": {"server": parts[0], "path": parts[1]}})
    if kind.startswith("/") and parts and parts[0].startswith("/") and parts[1:] in ([], ["ro"]):
        return _mount(name, parts[0], {"hostPath": {"path": kind}}, bool(parts[1:]))
    raise UsageError(
        f"-O volumes: {text} is no volume",
        "write /host:/pod, /host:/pod:ro, pvc:NAME:/pod or nfs:SERVER:/path:/pod",
    )


# --- handing over


def _run(given: EngineInput) -> HandedOver:
    jobs.prepare(given.job)
    text = dry_run(given)
    path = given.job.folder / FILE
    path.write_text(text, encoding="utf-8")
    name, namespace = name_of(given.job), given.options.get("namespace", "default")
    kubectl = shlex.split(given.options.get("kubectl", "kubectl"))
    if given.options.get("submit") != "yes":
        return HandedOver(
            f"{path} is written; submit it with: {shlex.join((*kubectl, 'apply', '-f', str(path)))}"
        )
    if shutil.which(kubectl[0]) is None:
        raise UsageError(
            f"{kubectl[0]} is not here; the job is in {path}",
            "submit it where kubectl is, or name it with -O kubectl=PATH",
        )
    answer = run_program((*kubectl, "apply", "-f", "-"), input=text, timeout=None)
    if answer.returncode != 0:
        said = "; ".join(answer.stderr.strip().splitlines()[:3]) or "it does not say why"
        raise UsageError(f"kubectl does not take {path}: {said}", "change the options with -O")
    base = shlex.join((*kubectl, f"--namespace={namespace}"))
    return HandedOver(
        f"submitted as {name}: {base} get pods -l volcano.sh/job-name={name} shows its state, "
        f"{base} logs -f {name}-{TASK}-0 follows the first pod, "
        f"{shlex.join((*kubectl, 'delete', '-f', str(path)))} stops it"
    )


ENGINE = Engine("kubernetes", OPTIONS, dry_run, _run, _check, count_servers=lambda: None)
