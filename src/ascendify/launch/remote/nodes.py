"""The servers that a scheduler has chosen: their names and addresses, and which rank failed first.

    python3 nodes.py describe FOLDER HCCN    # on each server: a line of JSON about it
    python3 nodes.py settle PLAN [GRES]      # reads those lines; writes the plan for these servers
    python3 nodes.py blame PLAN              # after the ranks: which failed first, and how

A plan that is made before the servers are known contains placeholders for names and addresses.
"""

import json
import os
import re
import socket
import subprocess
import sys

TABLE_FILE = "rank_table.json"
MASTERS = ("MASTER_ADDR", "CM_CHIEF_IP")
ADDRESS = re.compile(r"\s*(IPv6)?address_(\d{1,3})\s*=\s*([^\s#]+)", re.IGNORECASE)
ALLOTTED = re.compile(r"\bNodes=(\S+)\s.*\bGRES=(\S+)")
LAST_LINES = 20
TRACEBACK = "Traceback (most recent call last):"
PREFIX = re.compile(r"^\[rank\d+\]: ")
"""PyTorch puts it in front of every line of a traceback."""


def addresses(path):
    """Return the addresses of devices in a hccn.conf; none if there is no such file."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return addresses_in(file)
    except OSError:
        return {}


def addresses_in(lines):
    """Return the addresses of devices in the lines of a hccn.conf."""
    found = {}
    for match in filter(None, map(ADDRESS.match, lines)):
        # of a device with IPv4 and IPv6 addresses, use IPv4
        if not match.group(1) or match.group(2) not in found:
            found[match.group(2)] = match.group(3)
    return found


def own_address(other):
    """Return the address by which another machine reaches this one."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((other or "192.0.2.1", 9))  # sends nothing, only chooses a route
            return probe.getsockname()[0]
        except OSError:
            return "127.0.0.1"


def describe(folder, hccn):
    """Return a description of this server for the ranks of other servers."""
    return {
        "number": int(os.environ.get("SLURM_NODEID", "0")),
        "name": os.environ.get("SLURMD_NODENAME") or socket.gethostname(),
        "address": own_address(os.environ.get("SLURM_LAUNCH_NODE_IPADDR")),
        "addresses": addresses(hccn),
        "sees": os.path.isdir(folder),
    }


def plan_for(plan, nodes):
    """Return the plan for the servers that described themselves, in their order."""
    nodes = sorted(nodes, key=lambda node: node["number"])
    if len(nodes) != len(plan["servers"]):
        names = ", ".join(node["name"] for node in nodes) or "none"
        raise SystemExit(
            "error: the job is for {} servers, and these have answered: {}".format(
                len(plan["servers"]), names
            )
        )
    for node in nodes:
        if not node.get("sees", True):
            raise SystemExit(
                "error: {} does not see {}, the folder of the logs\n"
                "hint: name one that all servers share with --log-dir".format(
                    node["name"], plan["folder"]
                )
            )
    before = plan["servers"][0]
    made_up = (before["id"], before.get("address"))
    different = len({node["address"] for node in nodes}) == len(nodes)
    for server, node in zip(plan["servers"], nodes):
        # older software accepts only addresses as names of servers
        name = node["address"] if different else node["name"]
        server.update(id=name, host=node["name"], address=node["address"])
    for rank in plan["ranks"]:
        variables = rank["environment"]
        for name in MASTERS:
            if name in variables and variables[name] in made_up:
                variables[name] = nodes[0]["address"]
    for number, node in enumerate(nodes):
        if node.get("devices"):
            use_devices(plan, number, node["devices"])
    if TABLE_FILE in plan["files"]:
        table = json.loads(plan["files"][TABLE_FILE])
        plan["files"][TABLE_FILE] = json.dumps(table_for(table, plan, nodes), indent=2) + "\n"
    return plan


def use_devices(plan, number, devices):
    """Assign the devices that the scheduler has chosen to the ranks of a server."""
    ranks = [rank for rank in plan["ranks"] if rank["server"] == number]
    if plan["servers"][number]["devices"] != len(devices):
        return
    shown = ",".join(map(str, devices))
    renumbered = devices != list(range(len(devices)))
    for local, rank in enumerate(ranks):
        variables = rank["environment"]
        if renumbered:
            variables["ASCEND_RT_VISIBLE_DEVICES"] = shown
        if "DEVICE_ID" in variables:
            rank["device"] = devices[local]
            variables["DEVICE_ID"] = str(devices[local])
            variables["ASCEND_DEVICE_ID"] = str(local)


def table_for(table, plan, nodes):
    """Return the rank table with the real servers and addresses."""
    devices = {}
    for rank in plan["ranks"]:
        devices.setdefault(rank["server"], []).append(rank["device"])
    for number, entry in enumerate(table["server_list"]):
        entry["server_id"] = plan["servers"][number]["id"]
        for device, own in zip(entry["device"], devices[number]):
            device["device_id"] = str(own)
            device.pop("device_ip", None)
            known = nodes[number]["addresses"].get(str(own))
            if known:
                device["device_ip"] = known
    return table


def numbers(text):
    """Return the numbers of a text such as ``0-3,6``."""
    found = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        found.extend(range(int(first), int(last or first) + 1))
    return found


def devices_of(text, kind, hostnames):
    """Return the devices that Slurm has chosen on each node, from ``scontrol show job -d``.

    Slurm numbers them only where its gres.conf names the files of the devices.
    """
    chosen = re.compile(r"(?:^|,){}\b[^(,]*\((?:[^)]*,)?IDX:([0-9,-]+)".format(re.escape(kind)))
    found = {}
    for nodes, gres in ALLOTTED.findall(text):
        match = chosen.search(gres)
        if match:
            for name in hostnames(nodes):
                found[name] = numbers(match.group(1))
    return found


def scontrol(*options):
    """Return what scontrol prints; empty if it fails."""
    try:
        return subprocess.run(
            ("scontrol", *options), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True
        ).stdout.decode()
    except (OSError, subprocess.CalledProcessError):
        return ""


def settle(path, kind):
    """Write a plan and its rank table again, for the servers that described themselves."""
    with open(path, encoding="utf-8") as file:
        plan = json.load(file)
    nodes = [json.loads(line) for line in sys.stdin if line.startswith("{")]
    if kind:
        job = scontrol("show", "job", "-d", os.environ.get("SLURM_JOB_ID", ""))
        chosen = devices_of(job, kind, lambda names: scontrol("show", "hostnames", names).split())
        for node in nodes:
            node["devices"] = chosen.get(node["name"])
    plan = plan_for(plan, nodes)
    if len(nodes) > 1 and TABLE_FILE in plan["files"]:
        for node in nodes:
            if not node["addresses"]:
                print(
                    "warning: {} has no hccn.conf: the addresses of its devices are left out of "
                    "the rank table".format(node["name"]),
                    file=sys.stderr,
                )
    for name, text in plan["files"].items():
        write(os.path.join(plan["folder"], name), text)
    write(path, json.dumps(plan, indent=1) + "\n")


def write(path, text):
    """Write a file completely or not at all."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    part = "{}.{}".format(path, os.getpid())
    with open(part, "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(part, path)


def exits(plan):
    """Return the ranks whose agents have recorded an exit, the first to exit first."""
    found = []
    for rank in plan["ranks"]:
        path = os.path.join(plan["folder"], "rank-{}.ended".format(rank["rank"]))
        try:
            with open(path, encoding="utf-8") as file:
                found.append((rank, json.load(file)))
        except (OSError, ValueError):
            continue  # it was stopped before it could write
    return sorted(found, key=lambda each: each[1]["ended"])


def last_lines(path):
    """Return the end of a log: its last traceback if it ends in one."""
    try:
        with open(path, "rb") as file:
            file.seek(max(0, os.path.getsize(path) - (1 << 16)))
            lines = file.read().decode("utf-8", "replace").rstrip().split("\n")
    except OSError:
        return []
    lines = [PREFIX.sub("", line) for line in lines]
    starts = [n for n, line in enumerate(lines) if line.startswith(TRACEBACK)]
    return lines[starts[-1] if starts else -LAST_LINES :]


def log_of(plan, rank):
    """Return the path of a rank's log."""
    return os.path.join(plan["folder"], "rank-{}.log".format(rank["rank"]))


def first_failed(plan, exited):
    """Return the rank that caused the failure, from a list in the order of exits; None without one.

    ``ascendify.jobs.blame`` decides in the same way: a rank that failed only because another had
    exited is not the cause, and one that had printed an error before it was stopped may be.
    """
    failed = [(rank, how) for rank, how in exited if how["code"] != 0 and not how["stopped"]]
    if not failed:
        return None
    ends = {rank["rank"]: last_lines(log_of(plan, rank)) for rank, _ in exited}
    stopped = [
        (rank, how)
        for rank, how in exited
        if how["stopped"] and "".join(ends[rank["rank"]][:1]).startswith(TRACEBACK)
    ]
    patterns = [re.compile(pattern) for pattern in plan.get("consequences", ())]
    for rank, how in failed + stopped:
        lines = ends[rank["rank"]]
        if not any(pattern.search(line) for pattern in patterns for line in lines):
            return rank, how
    return failed[0]


def blame(path):
    """Print which rank failed first; return 0 if all ranks succeeded, else 1."""
    with open(path, encoding="utf-8") as file:
        plan = json.load(file)
    exited = exits(plan)
    first = first_failed(plan, exited)
    if first is None:
        size = len(plan["ranks"])
        stopped = size - sum(how["code"] == 0 for _, how in exited)
        if stopped:
            print("error: {} of {} ranks were stopped".format(stopped, size))
        return 1 if stopped else 0
    rank, how = first
    for line in last_lines(log_of(plan, rank)):
        print("  | " + line)
    server = plan["servers"][rank["server"]]
    exited = (
        "signal {}".format(-how["code"]) if how["code"] < 0 else "exit code {code}".format(**how)
    )
    print(
        "error: rank {} on {} failed first: {}".format(
            rank["rank"], server["host"] or server["id"], exited
        )
    )
    print("logs are in {}".format(plan["folder"]))
    return 1


def main(arguments):
    """Run the command that the first argument names."""
    verb, rest = (arguments[0], arguments[1:]) if arguments else ("", [])
    if verb == "describe" and len(rest) == 2:
        print(json.dumps(describe(*rest)), flush=True)
    elif verb == "settle" and len(rest) in (1, 2):
        settle(rest[0], rest[1] if len(rest) == 2 else "")
    elif verb == "blame" and len(rest) == 1:
        return blame(*rest)
    else:
        raise SystemExit(__doc__)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
