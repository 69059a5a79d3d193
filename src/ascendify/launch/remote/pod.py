"""Run the ranks of one server in a pod; its ranks are known only when the pod runs.

    python3 pod.py JOB.json

The job file has what all ranks have in common. Which ranks run here follows from the rank table,
which the cluster's controller writes when it knows the devices of every pod; without a table, from
the number that Volcano gives to a pod. ``agent.py`` and ``nodes.py`` are in the same folder.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import time

import nodes

HERE = os.path.dirname(os.path.abspath(__file__))
COMPLETED = "completed"
PAUSE_SECONDS = 0.1
LOOK_SECONDS = 2
PRINT_SECONDS = 30
ALONE = "127.0.0.1"


def read_table(path):
    """Return the controller's table; None if it is missing or not complete yet."""
    try:
        with open(path, encoding="utf-8") as file:
            table = json.load(file)
        return table if table.get("status") == COMPLETED else None
    except (OSError, ValueError, AttributeError):
        return None


def wait_for_table(path, seconds):
    """Wait for the controller's table; exit if it does not come in time."""
    began = printed = time.time()
    while True:
        table = read_table(path)
        if table is not None:
            return table
        now = time.time()
        if now - began > seconds:
            raise SystemExit(
                "error: {} is not completed after {:.0f} s\n"
                "hint: is hccl-controller (or the Ascend operator) running, and have all pods "
                "their devices? kubectl get pods -A shows both".format(path, seconds)
            )
        if now - printed > PRINT_SECONDS:
            printed = now
            print("waiting for {} to be completed".format(path), flush=True)
        time.sleep(min(LOOK_SECONDS, max(0.1, seconds / 10)))


def servers_of(table):
    """Return the servers of a table, in the order of the ranks, for either template."""
    if "server_list" in table:
        servers = [dict(entry) for entry in table["server_list"]]
        return sorted(servers, key=lambda entry: int(entry["device"][0]["rank_id"]))
    servers, number = [], 0
    for group in table["group_list"]:
        for instance in group["instance_list"]:
            devices = []
            for device in instance["devices"]:
                devices.append(dict(device, rank_id=str(number)))
                number += 1
            servers.append({"server_id": instance["server_id"], "device": devices})
    return servers


def own_position(servers, addresses):
    """Return the position of this pod's server."""
    for number, server in enumerate(servers):
        if server.get("container_ip") in addresses or server["server_id"] in addresses:
            return number
    raise SystemExit(
        "error: none of the servers of the rank table ({}) is this pod's: {}".format(
            ", ".join(server["server_id"] for server in servers), ", ".join(addresses)
        )
    )


def master(servers, host_network):
    """Return the address at which rank 0 listens."""
    if len(servers) == 1:
        return ALONE
    if servers[0].get("container_ip"):
        return servers[0]["container_ip"]
    if host_network:
        return servers[0]["server_id"]
    raise SystemExit(
        "error: the rank table does not say the address of rank 0's pod (container_ip)\n"
        "hint: give the pods the network of their hosts: -O host_network=yes"
    )


def by_table(job):
    """Return servers, this pod's position, the address of rank 0, and the table for the ranks."""
    table = wait_for_table(job["table"], job["wait"])
    servers = servers_of(table)
    addresses = [os.environ.get(name, "") for name in ("POD_IP", "XDL_IP")]
    position = own_position(servers, list(filter(None, addresses)))
    if "server_list" not in table:
        table = {
            "status": COMPLETED,
            "version": "1.0",
            "server_count": str(len(servers)),
            "server_list": servers,
        }
    return servers, position, master(servers, job["host_network"]), json.dumps(table, indent=1)


def by_number(job):
    """Return what :func:`by_table` does, without a table: Volcano gives pods numbers and names."""
    index = os.environ.get("VC_TASK_INDEX") or os.environ.get("VK_TASK_INDEX") or "0"
    count = job["devices"]
    servers = [
        {
            "server_id": str(server),
            "device": [
                {"device_id": str(n), "rank_id": str(server * count + n)} for n in range(count)
            ],
        }
        for server in range(job["servers"])
    ]
    if job["servers"] == 1:
        return servers, int(index), ALONE, ""
    return servers, int(index), address_of(job["first"], job["wait"]), ""


def address_of(name, seconds):
    """Wait for the address of a host name, which exists only when its pod has started."""
    until = time.time() + seconds
    while True:
        try:
            return socket.gethostbyname(name)
        except OSError as error:
            if time.time() > until:
                raise SystemExit("error: {}, the first pod, has no address: {}".format(name, error))
            time.sleep(LOOK_SECONDS)


def ranks_of(job, servers, position, first):
    """Return the ranks of this pod, in the form of a plan."""
    devices = servers[position]["device"][: 1 if job["once"] else None]
    found = []
    for local, device in enumerate(devices):
        number = position if job["once"] else int(device["rank_id"])
        place = {
            "RANK_ID": number,
            "RANK": number,
            "LOCAL_RANK": local,
            "LOCAL_WORLD_SIZE": len(devices),
            "GROUP_RANK": position,
            "DEVICE_ID": device["device_id"],
            "ASCEND_DEVICE_ID": local,  # a pod sees only its own devices
            "MASTER_ADDR": first,
            "CM_CHIEF_IP": first,
        }
        variables = {name: str(place[name]) for name in job["place"]}
        variables.update(job["common"])
        if job["table"]:
            variables["RANK_TABLE_FILE"] = os.path.join(job["folder"], nodes.TABLE_FILE)
        found.append(
            {
                "rank": number,
                "server": position,
                "device": int(device["device_id"]),
                "environment": variables,
            }
        )
    return found


class Logs:
    """Prints the logs of the ranks line by line with their numbers, for ``kubectl logs``."""

    def __init__(self, folder, numbers):
        self._paths = {n: os.path.join(folder, "rank-{}.log".format(n)) for n in numbers}
        self._files = {}
        self._rests = dict.fromkeys(numbers, b"")

    def advance(self, last=False):
        """Print new output; at the end also a last line without a newline."""
        out = sys.stdout.buffer
        for number, path in self._paths.items():
            if number not in self._files:
                if not os.path.exists(path):
                    continue
                self._files[number] = open(path, "rb")  # noqa: SIM115 (kept open)
            lines = (self._rests[number] + self._files[number].read()).split(b"\n")
            self._rests[number] = b"" if last else lines.pop()
            for line in lines:
                if line or not last:
                    out.write("[{}] ".format(number).encode() + line + b"\n")
        out.flush()


def write_plan(job, servers, ranks, table):
    """Write the plan that agents read; return its path."""
    os.makedirs(job["folder"], exist_ok=True)
    plan = {
        "command": job["command"],
        "project": job["project"],
        "folder": job["folder"],
        "servers": [
            {"id": server["server_id"], "host": "", "devices": len(server["device"])}
            for server in servers
        ],
        "unset": job["unset"],
        "consequences": job["consequences"],
        "files": dict(job["files"], **({nodes.TABLE_FILE: table + "\n"} if table else {})),
        "ranks": ranks,
    }
    # the folder may be the same for all pods
    path = os.path.join(job["folder"], "plan-{}.json".format(ranks[0]["server"]))
    nodes.write(path, json.dumps(plan, indent=1) + "\n")
    for rank in ranks:
        for ending in ("log", "ended"):
            old = os.path.join(job["folder"], "rank-{}.{}".format(rank["rank"], ending))
            if os.path.exists(old):
                os.remove(old)
    return path


def supervise(path, job, numbers):
    """Run the ranks; all are stopped when one fails, or the pod is to end. Returns an exit code."""
    received = []
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda which, _frame: received.append(which))
    agent = os.path.join(HERE, "agent.py")
    more = (str(job["grace"]), *(("bind",) if job["bind"] else ()))
    started = [
        subprocess.Popen(
            (sys.executable, agent, path, str(number), *more), stdin=subprocess.DEVNULL
        )
        for number in numbers
    ]
    for number in (signal.SIGUSR1, signal.SIGUSR2):
        signal.signal(number, lambda which, _frame: [each.send_signal(which) for each in started])
    logs = Logs(job["folder"], numbers)
    code = 0
    while any(each.poll() is None for each in started):
        logs.advance()
        failed = [code for code in [each.poll() for each in started] if code]
        if (failed or received) and not code:
            code = abs(failed[0]) if failed else 128 + received[0]
            for each in started:
                if each.poll() is None:
                    each.terminate()
        time.sleep(PAUSE_SECONDS)
    logs.advance(last=True)
    return code or max(abs(each.returncode) for each in started)


def main(arguments):
    """Run this pod's ranks until they have exited."""
    with open(arguments[0], encoding="utf-8") as file:
        job = json.load(file)
    servers, position, first, table = by_table(job) if job["table"] else by_number(job)
    size = sum(len(server["device"]) for server in servers)
    if size != job["devices"] * job["servers"]:
        raise SystemExit(
            "error: the rank table has {} devices, the job is for {}".format(
                size, job["devices"] * job["servers"]
            )
        )
    ranks = ranks_of(job, servers, position, first)
    path = write_plan(job, servers, ranks, table)
    code = supervise(path, job, [rank["rank"] for rank in ranks])
    if code:
        nodes.blame(path)
    return code


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    sys.exit(main(sys.argv[1:]))
