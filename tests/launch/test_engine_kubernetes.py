"""Launching with Kubernetes: the job as YAML, and its pods as processes of this machine."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml as pyyaml
from hypothesis import given
from hypothesis import strategies as st

from ascendify.launch import yaml
from support.commands import ascendify
from support.launches import PATIENCE
from support.processes import is_alive, processes_in, wait_until

PYTHON = sys.executable


def launch(folder: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return ascendify(
        "launch", "--engine", "kubernetes", *arguments, cwd=folder, variables=variables
    )


def documents(folder: Path, *arguments: str, image: str = "crnn:1") -> list[dict[str, Any]]:
    """The documents of a job."""
    said = arguments if "--" in arguments else (*arguments, "--", "python", "train.py")
    options = ("-O", f"image={image}", "--name", "job", "--dry-run")
    ended = launch(folder, *options, *said)
    assert ended.returncode == 0, ended.stderr
    return list(pyyaml.safe_load_all(ended.stdout))


def job_of(found: list[dict[str, Any]]) -> dict[str, Any]:
    (job,) = (each for each in found if each["kind"] == "Job")
    return job


def pod_of(found: list[dict[str, Any]]) -> dict[str, Any]:
    (task,) = job_of(found)["spec"]["tasks"]
    spec: dict[str, Any] = task["template"]["spec"]
    return spec


# --- YAML


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"a": 1, "b": True, "c": None}, "a: 1\nb: true\nc: null\n"),
        (
            {"a": "yes", "b": "1", "c": "1.5", "d": "x: y"},
            'a: "yes"\nb: "1"\nc: "1.5"\nd: "x: y"\n',
        ),
        ({"a": [], "b": {}}, "a: []\nb: {}\n"),
        ({"a": ["b", {"c": "d", "e": ["f"]}]}, "a:\n  - b\n  - c: d\n    e:\n      - f\n"),
        ({"a": "one\n  two\n"}, "a: |\n  one\n    two\n"),
        ({"a": "one\ntwo"}, 'a: "one\\ntwo"\n'),
    ],
)
def test_what_yaml_looks_like(value: dict[str, Any], text: str) -> None:
    assert yaml.dump([value]) == text


_TEXT = st.text(st.characters(exclude_categories=["Cs"]))
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | _TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_TEXT, inner, max_size=4),
    max_leaves=12,
)


@given(st.lists(st.dictionaries(_TEXT, _VALUES, min_size=1, max_size=4), min_size=1, max_size=3))
def test_yaml_says_what_was_said(found: list[dict[str, Any]]) -> None:
    assert list(pyyaml.safe_load_all(yaml.dump(found))) == found


# --- the job

_NAME = {"type": "string", "pattern": "^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$"}
_LABELS = {"type": "object", "additionalProperties": {"type": "string"}}
_METADATA = {
    "type": "object",
    "properties": {"name": _NAME, "namespace": _NAME, "labels": _LABELS},
    "required": ["name", "namespace"],
    "additionalProperties": False,
}
_ONE_SOURCE = {
    "type": "object",
    "properties": {
        "name": _NAME,
        "configMap": {"type": "object", "required": ["name"]},
        "emptyDir": {"type": "object"},
        "hostPath": {
            "type": "object",
            "properties": {"path": {"pattern": "^/"}, "type": {"enum": ["File", "Directory"]}},
            "required": ["path"],
        },
        "nfs": {"type": "object", "required": ["server", "path"]},
        "persistentVolumeClaim": {"type": "object", "required": ["claimName"]},
    },
    "required": ["name"],
    "minProperties": 2,
    "maxProperties": 2,
    "additionalProperties": False,
}
_ENV = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_]*$"},
        "valueFrom": {
            "type": "object",
            "properties": {"fieldRef": {"type": "object", "required": ["fieldPath"]}},
            "required": ["fieldRef"],
        },
    },
    "required": ["name", "valueFrom"],
    "additionalProperties": False,
}
_CONTAINER = {
    "type": "object",
    "properties": {
        "name": _NAME,
        "image": {"type": "string", "minLength": 1},
        "imagePullPolicy": {"enum": ["Always", "IfNotPresent", "Never"]},
        "command": {"type": "array", "items": {"type": "string"}, "minItems": 1},
        "env": {"type": "array", "items": _ENV},
        "resources": {
            "type": "object",
            "properties": {
                name: {"type": "object", "additionalProperties": {"type": ["integer", "string"]}}
                for name in ("limits", "requests")
            },
            "required": ["limits", "requests"],
        },
        "volumeMounts": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "name": _NAME,
                    "mountPath": {"type": "string", "pattern": "^/"},
                    "readOnly": {"type": "boolean"},
                },
                "required": ["name", "mountPath"],
                "additionalProperties": False,
            },
        },
    },
    "required": ["name", "image", "command", "resources"],
    "additionalProperties": False,
}
_POD = {
    "type": "object",
    "properties": {
        "restartPolicy": {"enum": ["Never", "OnFailure", "Always"]},
        "terminationGracePeriodSeconds": {"type": "integer", "minimum": 0},
        "activeDeadlineSeconds": {"type": "integer", "minimum": 1},
        "hostNetwork": {"type": "boolean"},
        "dnsPolicy": {"enum": ["ClusterFirstWithHostNet", "ClusterFirst", "Default"]},
        "serviceAccountName": _NAME,
        "imagePullSecrets": {"type": "array", "items": {"type": "object", "required": ["name"]}},
        "nodeSelector": _LABELS,
        "affinity": {"type": "object"},
        "containers": {"type": "array", "items": _CONTAINER, "minItems": 1},
        "volumes": {"type": "array", "items": _ONE_SOURCE},
    },
    "required": ["containers", "restartPolicy"],
    "additionalProperties": False,
}
_EVENTS = ["PodFailed", "PodEvicted", "TaskCompleted"]
SCHEMA = {
    "oneOf": [
        {
            "type": "object",
            "properties": {
                "apiVersion": {"const": "v1"},
                "kind": {"const": "ConfigMap"},
                "metadata": _METADATA,
                "data": {
                    "type": "object",
                    "propertyNames": {"pattern": "^[-._a-zA-Z0-9]+$"},
                    "additionalProperties": {"type": "string"},
                },
            },
            "required": ["apiVersion", "kind", "metadata", "data"],
            "additionalProperties": False,
        },
        {
            "type": "object",
            "properties": {
                "apiVersion": {"const": "batch.volcano.sh/v1alpha1"},
                "kind": {"const": "Job"},
                "metadata": _METADATA,
                "spec": {
                    "type": "object",
                    "properties": {
                        "schedulerName": {"const": "volcano"},
                        "queue": {"type": "string"},
                        "minAvailable": {"type": "integer", "minimum": 1},
                        "maxRetry": {"type": "integer", "minimum": 0},
                        "priorityClassName": {"type": "string"},
                        "policies": {
                            "type": "array",
                            "items": {
                                "type": "object",
                                "properties": {
                                    "event": {"enum": _EVENTS},
                                    "action": {"enum": ["AbortJob", "RestartJob", "CompleteJob"]},
                                },
                                "required": ["event", "action"],
                                "additionalProperties": False,
                            },
                        },
                        "plugins": {
                            "type": "object",
                            "properties": {
                                name: {"type": "array", "items": {"type": "string"}}
                                for name in ("env", "svc")
                            },
                            "additionalProperties": False,
                        },
                        "tasks": {
                            "type": "array",
                            "items": {
                                "type": "object",
                                "properties": {
                                    "name": _NAME,
                                    "replicas": {"type": "integer", "minimum": 1},
                                    "template": {
                                        "type": "object",
                                        "properties": {
                                            "metadata": {
                                                "type": "object",
                                                "properties": {"labels": _LABELS},
                                            },
                                            "spec": _POD,
                                        },
                                        "required": ["spec"],
                                        "additionalProperties": False,
                                    },
                                },
                                "required": ["name", "replicas", "template"],
                                "additionalProperties": False,
                            },
                        },
                    },
                    "required": ["schedulerName", "minAvailable", "tasks"],
                    "additionalProperties": False,
                },
            },
            "required": ["apiVersion", "kind", "metadata", "spec"],
            "additionalProperties": False,
        },
    ]
}
"""The fields of Kubernetes and Volcano that are used, as their references have them."""

EVERYTHING = (
    *("--servers", "2", "-n", "8", "--timeout", "90.5", "--max-restarts", "2"),
    *("-O", "namespace=vcjob", "-O", "resource=huawei.com/Ascend910B", "-O", "queue=vision"),
    *("-O", "volumes=/data:/data:ro,/out:/out,pvc:code:/code,nfs:10.0.0.1:/sets:/sets"),
    *("-O", "selector=accelerator-type=module-910b-8,host-arch=huawei-arm", "-O", "cpu=96"),
    *("-O", "memory=200Gi", "-O", "shm=32Gi", "-O", "account=trainer", "-O", "priority=high"),
    *("-O", "pull=Always", "-O", "pull_secret=registry", "-O", "setup=/opt/my env.sh"),
)


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("-n", "8"),
        ("--servers", "4", "-n", "8", "--no-rank-table"),
        ("-n", "8", "--once"),
        ("-O", "mounts=no", "-O", "host_network=no", "-O", "visible=no"),
        EVERYTHING,
    ],
)
def test_documents_are_what_the_cluster_expects(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    found = documents(tmp_path, *arguments)
    for document in found:
        jsonschema.validate(document, SCHEMA)
    pod = pod_of(found)
    (container,) = pod["containers"]
    # every volume is mounted, and nothing else
    mounted = [mount["name"] for mount in container["volumeMounts"]]
    assert mounted == [volume["name"] for volume in pod["volumes"]]
    assert len(set(mounted)) == len(mounted)
    maps = {each["metadata"]["name"] for each in found if each["kind"] == "ConfigMap"}
    used = {each["configMap"]["name"] for each in pod["volumes"] if "configMap" in each}
    assert used == maps


def test_one_pod_a_server_and_all_at_once(tmp_path: Path) -> None:
    found = documents(tmp_path, "--servers", "4", "-n", "8")
    spec = job_of(found)["spec"]
    assert spec["minAvailable"] == 4
    assert spec["tasks"][0]["replicas"] == 4
    (container,) = pod_of(found)["containers"]
    for kind in ("limits", "requests"):
        assert container["resources"][kind] == {"huawei.com/Ascend910": 8}
    assert "podAntiAffinity" in pod_of(found)["affinity"]


def test_the_controller_finds_the_job(tmp_path: Path) -> None:
    found = documents(tmp_path, "--servers", "2", "-n", "8", "-O", "label=ascend-910b")
    label = {"ring-controller.atlas": "ascend-910b"}
    rings, _, job = found
    assert rings["metadata"]["name"] == "rings-config-job"
    assert rings["metadata"]["labels"] == label
    assert json.loads(rings["data"]["hccl.json"]) == {"status": "initializing"}
    assert job["metadata"]["labels"] == label
    assert job["spec"]["tasks"][0]["template"]["metadata"]["labels"] == label
    mounts = {
        each["name"]: each["mountPath"] for each in pod_of(found)["containers"][0]["volumeMounts"]
    }
    assert mounts["ascend-910-config"] == "/user/serverid/devindex/config"


def test_every_option(tmp_path: Path) -> None:
    found = documents(tmp_path, *EVERYTHING)
    spec, pod = job_of(found)["spec"], pod_of(found)
    (container,) = pod["containers"]
    assert {each["metadata"]["namespace"] for each in found} == {"vcjob"}
    assert spec["queue"] == "vision"
    assert spec["priorityClassName"] == "high"
    assert spec["maxRetry"] == 2
    assert {"event": "PodFailed", "action": "RestartJob"} in spec["policies"]
    assert pod["activeDeadlineSeconds"] == 91
    assert pod["nodeSelector"]["host-arch"] == "huawei-arm"
    assert container["resources"]["limits"] == {
        "huawei.com/Ascend910B": 8,
        "cpu": "96",
        "memory": "200Gi",
    }
    arguments = container["command"]
    assert arguments[:2] == ["/bin/bash", "-c"]
    assert arguments[2] == (
        "source '/opt/my env.sh' && exec python3 /etc/ascendify/pod.py /etc/ascendify/job.json"
    )
    (visible,) = (each for each in container["env"] if each["name"] == "ASCEND_VISIBLE_DEVICES")
    field = visible["valueFrom"]["fieldRef"]["fieldPath"]
    assert field == "metadata.annotations['huawei.com/Ascend910B']"


@pytest.mark.parametrize(
    ("name", "expected"),
    [("CRNN_16p", "crnn-16p"), ("123", "job-123"), ("a" * 90, "a" * 48), ("a__b", "a-b")],
)
def test_names_that_kubernetes_takes(tmp_path: Path, name: str, expected: str) -> None:
    ended = launch(tmp_path, "--name", name, "-O", "image=a", "--dry-run", "--", "python")
    found = list(pyyaml.safe_load_all(ended.stdout))
    assert job_of(found)["metadata"]["name"] == expected


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "no image"),
        (("-O", "image=a", "-O", "submit=1"), "say yes or no"),
        (("-O", "image=a", "-O", "volumes=data"), "data is no volume"),
        (("-O", "image=a", "-O", "volumes=/a:b"), "is no volume"),
        (("-O", "image=a", "-O", "resource=npu"), "-O resource=npu cannot be"),
        (("-O", "image=a", "-O", "memory=lots"), "-O memory=lots cannot be"),
        (("-O", "image=a", "-O", "selector=fast"), "fast is no label"),
        (("-O", "image=a", "-O", "workdir=code"), "is no path"),
        (("-O", "image=a", "-O", "namespace=a/b"), "cannot be"),
        (("-O", "image=a", "--hosts", "a:8"), "--hosts names servers"),
        (("-O", "image=a", "--emulate"), "--emulate runs on this machine"),
        (("-O", "image=a", "-O", "submit=yes", "-O", "kubectl=/none"), "/none is not here"),
    ],
)
def test_mistakes(tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    ended = launch(tmp_path, *arguments, "--", "python", "train.py")
    assert ended.returncode == 2, ended.stderr
    assert message in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_job_is_handed_to_kubectl(tmp_path: Path) -> None:
    stand_in = tmp_path / "kubectl"
    stand_in.write_text('#!/bin/sh\necho "$@" > arguments\ncat > given\n')
    stand_in.chmod(0o755)
    arguments = ("-O", "image=a", "-O", "submit=yes", "-O", f"kubectl={stand_in} --context=big")
    ended = launch(
        tmp_path, *arguments, "--log-dir", "logs", "--name", "one", "--", "python", "train.py"
    )
    assert ended.returncode == 0, ended.stderr
    assert (tmp_path / "arguments").read_text() == "--context=big apply -f -\n"
    assert (tmp_path / "given").read_text() == (tmp_path / "logs" / "job.yaml").read_text()
    assert "volcano.sh/job-name=one" in ended.stderr


def test_a_job_that_kubectl_does_not_take(tmp_path: Path) -> None:
    stand_in = tmp_path / "kubectl"
    stand_in.write_text("#!/bin/sh\necho 'error: no matches for kind Job' >&2\nexit 1\n")
    stand_in.chmod(0o755)
    arguments = ("-O", "image=a", "-O", "submit=yes", "-O", f"kubectl={stand_in}")
    ended = launch(tmp_path, *arguments, "--", "python", "train.py")
    assert ended.returncode == 2
    assert "no matches for kind Job" in ended.stderr


# --- pods, as processes of this machine

DEVICES = ("4", "5")
TABLE_1_0: dict[str, Any] = {
    "status": "completed",
    "server_count": "2",
    "version": "1.0",
    "server_list": [
        {
            # the controller numbers servers as their pods come, which need not be in order
            "server_id": f"10.0.0.{server}",
            "device": [
                {
                    "device_id": str(4 + n),
                    "device_ip": f"29.1.{server}.{n}",
                    "rank_id": str(rank + n),
                }
                for n in range(2)
            ],
        }
        for server, rank in ((7, 2), (8, 0))
    ],
}
TABLE_2 = {
    "status": "completed",
    "group_count": "1",
    "group_list": [
        {
            "instance_list": [
                {
                    "pod_name": str(server),
                    "server_id": f"10.0.0.{server}",
                    "devices": [
                        {"device_id": str(4 + n), "device_ip": f"29.1.1.{n}"} for n in range(2)
                    ],
                }
                for server in (8, 7)
            ]
        }
    ],
}


class Pods:
    """The pods of a job of two servers with two devices each."""

    def __init__(self, folder: Path, source: str, *arguments: str) -> None:
        (folder / "train.py").write_text(source)
        options = ("-O", f"logs={folder / 'logs'}", "-O", f"workdir={folder}", "-O", "wait=20")
        command = ("--", PYTHON, "train.py")
        sizes = ("--servers", "2", "-n", "2")
        found = documents(folder, *sizes, *options, *arguments, *command)
        self._folder = folder
        self._programs = folder / "programs"
        self._programs.mkdir()
        (data,) = (each["data"] for each in found if "job.json" in each.get("data", {}))
        self.table = folder / "hccl.json"
        for name, text in data.items():
            here = text.replace("/user/serverid/devindex/config/hccl.json", str(self.table))
            (self._programs / name).write_text(here)

    def start(self, number: int, **variables: str) -> subprocess.Popen[str]:
        """Start a pod, as Volcano would."""
        environment = {
            **{key: value for key, value in os.environ.items() if not key.startswith("ASCENDIFY")},
            "VC_TASK_INDEX": str(number),
            "XDL_IP": f"10.0.0.{7 + number}",
            "POD_IP": f"172.16.0.{number}",
            **variables,
        }
        return subprocess.Popen(
            (PYTHON, str(self._programs / "pod.py"), str(self._programs / "job.json")),
            env=environment,
            cwd="/",
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def write_table(self, table: Mapping[str, object]) -> None:
        part = self._folder / "part"
        part.write_text(json.dumps(table))
        part.replace(self.table)

    def logs(self) -> dict[str, str]:
        folder = self._folder / "logs" / "job"
        return {path.name: path.read_text() for path in sorted(folder.glob("rank-*.log"))}


REPORT = """
import json, os
names = ("RANK_ID", "RANK", "RANK_SIZE", "LOCAL_RANK", "GROUP_RANK", "DEVICE_ID", "CM_CHIEF_IP",
         "ASCEND_DEVICE_ID", "MASTER_ADDR", "RANK_TABLE_FILE", "JOB_ID", "MINE", "CM_WORKER_SIZE")
print(json.dumps({name: os.environ.get(name) for name in names}))
"""


@pytest.mark.parametrize("table", [TABLE_1_0, TABLE_2], ids=["version 1.0", "with groups"])
def test_pods_wait_for_the_table_and_find_themselves(
    tmp_path: Path, table: Mapping[str, object]
) -> None:
    pods = Pods(tmp_path, REPORT, "--env", "MINE=a 'b' $c")
    pods.write_table({"status": "initializing"})
    running = [pods.start(number) for number in (0, 1)]
    assert not wait_until(lambda: bool(pods.logs()), 1)
    pods.write_table(table)
    said = [pod.communicate(timeout=PATIENCE)[0] for pod in running]
    assert [pod.returncode for pod in running] == [0, 0], said
    reported = [json.loads(text) for text in pods.logs().values()]
    assert [each["RANK_ID"] for each in reported] == list("0123")
    assert [each["RANK"] for each in reported] == list("0123")
    assert [each["LOCAL_RANK"] for each in reported] == list("0101")
    assert [each["GROUP_RANK"] for each in reported] == list("0011")
    assert [each["DEVICE_ID"] for each in reported] == list("4545")
    assert [each["ASCEND_DEVICE_ID"] for each in reported] == list("0101")
    # rank 0 is where the table says, not in the first pod
    assert {each["MASTER_ADDR"] for each in reported} == {"10.0.0.8"}
    assert {each["MINE"] for each in reported} == {"a 'b' $c"}
    assert {each["RANK_SIZE"] for each in reported} == {"4"}
    written = json.loads(Path(reported[0]["RANK_TABLE_FILE"]).read_text())
    assert written["version"] == "1.0"
    ranks = [d["rank_id"] for s in written["server_list"] for d in s["device"]]
    assert sorted(ranks) == list("0123")
    # and kubectl logs shows everything, with the numbers of the ranks
    assert '[2] {"RANK_ID": "2"' in said[0]


def test_pods_without_a_table_are_numbered(tmp_path: Path) -> None:
    pods = Pods(tmp_path, REPORT, "--no-rank-table")
    job = tmp_path / "programs" / "job.json"
    job.write_text(job.read_text().replace("job-worker-0.job", "localhost"))
    for number in (0, 1):
        pod = pods.start(number)
        said = pod.communicate(timeout=PATIENCE)[0]
        assert pod.returncode == 0, said
    reported = [json.loads(text) for text in pods.logs().values()]
    assert [each["RANK"] for each in reported] == list("0123")
    assert {each["CM_CHIEF_IP"] for each in reported} == {"127.0.0.1"}
    assert {each["CM_WORKER_SIZE"] for each in reported} == {"4"}
    assert {each["RANK_ID"] for each in reported} == {None}


def test_pods_are_measured(tmp_path: Path) -> None:
    source = "import os\nprint(os.environ['ASCENDIFY_MEASURE'])\nimport ascendify_startup.measure"
    pods = Pods(tmp_path, source, "--measure", "--no-rank-table", "--servers", "1")
    pod = pods.start(0)
    said = pod.communicate(timeout=PATIENCE)[0]
    assert pod.returncode == 0, said
    assert set(pods.logs().values()) == {f"{tmp_path / 'logs' / 'job'}\n"}


FAILS = """
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
with open("processes", "a") as file:
    file.write(f"{os.getpid()} {child.pid}\\n")
while len(open("processes").readlines()) < 2:
    time.sleep(0.01)
if os.environ["LOCAL_RANK"] == "1":
    raise ValueError("bad data")
time.sleep(600)
"""


def test_a_rank_that_fails_ends_its_pod(tmp_path: Path) -> None:
    pods = Pods(tmp_path, FAILS)
    pods.write_table(TABLE_1_0)
    pod = pods.start(1)
    said = pod.communicate(timeout=PATIENCE)[0]
    assert pod.returncode == 1
    assert "ValueError: bad data" in said
    assert "error: rank 1 on 10.0.0.8 failed first: exit code 1" in said
    assert not any(map(is_alive, processes_in(tmp_path / "processes")))


WAITS = FAILS.replace("raise ValueError", "time.sleep(600) or ValueError")


def test_a_pod_that_is_deleted(tmp_path: Path) -> None:
    pods = Pods(tmp_path, WAITS)
    pods.write_table(TABLE_1_0)
    pod = pods.start(1)
    marked = tmp_path / "processes"
    assert wait_until(lambda: marked.exists() and len(processes_in(marked)) == 4)
    pod.send_signal(signal.SIGTERM)
    said = pod.communicate(timeout=PATIENCE)[0]
    assert pod.returncode != 0
    assert "error: 2 of 2 ranks were stopped" in said
    assert not any(map(is_alive, processes_in(marked)))


@pytest.mark.parametrize(
    ("table", "arguments", "message"),
    [
        ({"status": "initializing"}, ("-O", "wait=1"), "is not completed after 1 s"),
        ({**TABLE_1_0, "server_list": TABLE_1_0["server_list"][:1]}, (), "none of the servers"),
        (TABLE_1_0, ("-O", "host_network=no"), "does not say the address of rank 0's pod"),
        (TABLE_1_0, ("-n", "4"), "has 4 devices, the job is for 8"),
    ],
)
def test_tables_that_do_not_fit(
    tmp_path: Path, table: Mapping[str, object], arguments: tuple[str, ...], message: str
) -> None:
    pods = Pods(tmp_path, REPORT, *arguments)
    pods.write_table(table)
    pod = pods.start(1)
    said = pod.communicate(timeout=PATIENCE)[0]
    assert pod.returncode == 1
    assert message in said
    assert "Traceback" not in said
