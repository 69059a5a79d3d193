"""Ray: take whole servers of a shared cluster, and wait until they are free.

A placement group holds the devices of every server of the job, all or none. On each server an actor
starts the ranks as processes of the user's command and sends here what they print. When
an actor ends, for any reason, its ranks are stopped.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import json
import os
import socket
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, BinaryIO

from ascendify.errors import UsageError
from ascendify.jobs import run as jobs
from ascendify.jobs.job import PLAN_FILE, TABLE_FILE, with_known_servers
from ascendify.launch import remote
from ascendify.launch.engines import Engine, EngineInput, check_on_npus, check_values
from ascendify.launch.engines.dry_run import script
from ascendify.processes import Ending, Outcome, Tail
from ascendify.processes.running import SETTLE_SECONDS, pass_on_signals, postpone_interruptions

OPTIONS = {
    "address": "of the cluster: auto for the one this machine is part of, or HOST:PORT; auto",
    "resource": "what a device is called in Ray; NPU",
    "cpus": "cores that are taken on each server; one for each device",
    "wait": "seconds to wait for free servers; as long as it takes",
    "upload": "yes: Ray takes the project's files to the servers, which do not share them",
    "hccn": "where the servers have their devices' addresses; /etc/hccn.conf",
}
_LOOK_SECONDS = 0.1
_NEWS_SECONDS = 1.0
"""Seconds an actor waits for output of its ranks before it replies."""
_PRINT_SECONDS = 60.0
"""Seconds between two messages that the job still waits."""
_STOP_SECONDS = 10.0
"""Seconds after the grace period to wait for an actor that does not answer."""
_CONNECT_SECONDS = 10.0
_LOST = 255


def _check(given: EngineInput) -> None:
    jobs.check_supervision(given.supervision)
    check_on_npus(given, "ray")
    if importlib.util.find_spec("ray") is None:
        raise UsageError("Ray is not installed here", "pip install 'ascendify[ray]'")
    options = given.options
    check_values(given, "upload")
    for name in ("cpus", "wait"):
        if name in options and not options[name].isdigit():
            raise UsageError(f"-O {name}={options[name]} is no number", f"such as {name}=8")
    jobs.check_project(given.job.project)


def _resources(given: EngineInput) -> dict[str, float]:
    """Return the resources that the job takes on every server."""
    devices = len(given.job.inventory.servers[0].devices)
    cpus = int(given.options.get("cpus", devices))
    return {given.options.get("resource", "NPU"): float(devices), "CPU": float(cpus)}


def dry_run(given: EngineInput) -> str:
    """Return what would be requested from Ray and what would run there."""
    bundle = json.dumps(_resources(given))
    count = len(given.job.inventory.servers)
    return (
        f"# requested from the Ray cluster at {given.options.get('address', 'auto')}: "
        f"{count} servers, each with {bundle} (STRICT_SPREAD)\n"
        "# names and addresses of servers are made up here; there they are those Ray has chosen\n"
        + script(given.job, given.ranks)
    )


def _run(given: EngineInput) -> jobs.JobResult:
    ray = _connect(given)
    try:
        result = given.run(_attempt(given, ray))
        return replace(result, job=with_known_servers(given.job))
    finally:
        ray.shutdown()


def _connect(given: EngineInput) -> Any:
    """Connect to the cluster and return Ray's module."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    ray = importlib.import_module("ray")
    address = given.options.get("address", "auto")
    _check_listening(address)
    runtime = (
        {"working_dir": str(given.job.project)} if given.options.get("upload") == "yes" else {}
    )
    try:
        ray.init(
            address=address, log_to_driver=False, logging_level="error", runtime_env=runtime or None
        )
    except Exception as error:
        reason = str(error).strip().partition("\n")[0] or type(error).__name__
        raise UsageError(
            f"no Ray cluster at {address}: {reason}",
            "ray start --head starts one; -O address=HOST:PORT names another",
        ) from error
    return ray


def _check_listening(address: str) -> None:
    """Check at once that something listens at the address; Ray itself would wait for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdigit():
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), _CONNECT_SECONDS).close()
    except (OSError, OverflowError) as error:
        raise UsageError(
            f"no Ray cluster at {address}: {getattr(error, 'strerror', None) or error}",
            "ray start --head starts one; -O address=HOST:PORT names another",
        ) from error


def _attempt(given: EngineInput, ray: Any) -> jobs.Attempt:
    def attempt(base: Mapping[str, str], tail: Tail | None) -> Outcome:
        # Ray has its own signal handlers, which would end this process half-way
        with postpone_interruptions() as interrupted:
            run = _RayAttempt(given, ray, interrupted)
            try:
                run.take_servers()
                if not interrupted:
                    run.start({name: base[name] for name in jobs.RESTART_VARIABLES})
                with pass_on_signals(run.pass_on):
                    outcome = run.watch(tail)
            finally:
                run.end()
                if tail is not None:
                    tail.close()
        return outcome

    return attempt


class _RayAttempt:
    """The ranks of one attempt, from reserving servers to the end."""

    def __init__(self, given: EngineInput, ray: Any, interrupted: Sequence[int]) -> None:
        self._given = given
        self._ray = ray
        self._interrupted = interrupted
        self._group: Any = None
        self._actors: list[Any] = []
        self._began = time.monotonic()
        self._endings: dict[int, Ending] = {}
        self._stopping = False
        self._timed_out = False
        self._logs: dict[int, BinaryIO] = {}

    # --- the servers

    def take_servers(self) -> None:
        """Wait until the cluster has given all servers."""
        util = importlib.import_module("ray.util")
        bundles = [_resources(self._given)] * len(self._given.job.inventory.servers)
        self._group = util.placement_group(bundles, strategy="STRICT_SPREAD")
        ready = self._group.ready()
        limit = self._given.options.get("wait")
        began = time.monotonic()
        tell_at = began + 2.0
        while not self._interrupted:
            if self._ray.wait([ready], timeout=_LOOK_SECONDS)[0]:
                self._ray.get(ready)
                return
            now = time.monotonic()
            if limit is not None and now - began > int(limit):
                raise UsageError(
                    f"no servers after {limit} s: {self._shortage()}",
                    "ray status shows who has them; -O wait=SECONDS waits longer",
                )
            if now > tell_at:
                tell_at = now + _PRINT_SECONDS
                self._given.warn(f"waiting for {self._shortage()}")

    def _shortage(self) -> str:
        """Describe how many servers are requested and how many the cluster has."""
        wanted = _resources(self._given)
        name = self._given.options.get("resource", "NPU")
        fitting = [
            node
            for node in self._ray.nodes()
            if node["Alive"]
            and all(node["Resources"].get(key, 0) >= count for key, count in wanted.items())
        ]
        count = len(self._given.job.inventory.servers)
        wanted_servers = f"{count} server{'s' * (count > 1)} with {wanted[name]:.0f} {name}s"
        cores = f" and {wanted['CPU']:.0f} cores"
        busy = ", which others use" if len(fitting) >= count else ""
        return f"{wanted_servers}{cores}; the cluster has {len(fitting)}{busy}"

    def _start_actors(self) -> list[Any]:
        """Start an actor on every server."""
        module = importlib.import_module("ascendify.launch.remote.ray_server")
        importlib.import_module("ray.cloudpickle").register_pickle_by_value(module)
        strategies = importlib.import_module("ray.util.scheduling_strategies")
        wanted = _resources(self._given)
        devices = {name: count for name, count in wanted.items() if name != "CPU"}
        actor = self._ray.remote(module.RayServer)
        return [
            actor.options(
                num_cpus=wanted["CPU"],
                resources=devices,
                max_concurrency=4,  # stop() is called while news() waits
                scheduling_strategy=strategies.PlacementGroupSchedulingStrategy(
                    self._group, placement_group_bundle_index=number
                ),
            ).remote()
            for number in range(len(self._given.job.inventory.servers))
        ]

    def start(self, variables: Mapping[str, str]) -> None:
        """Start the ranks on the servers that Ray has chosen."""
        given = self._given
        self._actors = self._start_actors()
        resource = given.options.get("resource", "NPU")
        hccn = given.options.get("hccn", "/etc/hccn.conf")
        described = [actor.describe.remote(resource, hccn) for actor in self._actors]
        servers = self._ray.get(described)
        plan = self._settle(servers)
        for number, actor in enumerate(self._actors):
            project = servers[number]["folder"] if given.options.get("upload") == "yes" else ""
            plans = [
                {
                    **plan,
                    "project": project or plan["project"],
                    "ranks": [{**rank, "environment": {**variables, **rank["environment"]}}],
                    "grace": given.supervision.grace,
                    "silence": 0,
                    "bind": given.supervision.bind,
                }
                for rank in plan["ranks"]
                if rank["server"] == number
            ]
            self._ray.get(actor.start.remote(remote.agent(), plans))

    def _settle(self, servers: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Write the plan for the servers that Ray has chosen next to the logs, and return it."""
        nodes = importlib.import_module("ascendify.launch.remote.nodes")
        job = self._given.job
        names = [each["name"] for each in servers]
        found = [
            {
                "number": number,
                "name": each["name"]
                if names.count(each["name"]) == 1
                else f"{each['name']}-{number}",
                "address": each["address"],
                "addresses": nodes.addresses_in(each["hccn"]),
                "devices": each["devices"],
            }
            for number, each in enumerate(servers)
        ]
        known: dict[str, Any] = nodes.plan_for(json.loads(job.dump()), found)
        for node in found:
            if job.table and len(found) > 1 and not node["addresses"]:
                self._given.warn(
                    f"{node['name']} has no hccn.conf: the addresses of its devices are left out "
                    "of the rank table"
                )
        plan = json.dumps(known, indent=1) + "\n"
        (job.folder / PLAN_FILE).write_text(plan, encoding="utf-8")
        if job.table:
            (job.folder / TABLE_FILE).write_text(known["files"][TABLE_FILE], encoding="utf-8")
        return known

    # --- the ranks

    def watch(self, tail: Tail | None) -> Outcome:
        """Receive the ranks' output until all have exited, or until they must be stopped."""
        given = self._given
        for rank in given.ranks:
            self._logs[rank.number] = given.job.log(rank.number).open("wb", buffering=0)
        waiting = {actor.news.remote(_NEWS_SECONDS): n for n, actor in enumerate(self._actors)}
        stop_at: float | None = None
        give_up_at: float | None = None
        deadline = (
            None if given.supervision.timeout is None else self._began + given.supervision.timeout
        )
        while waiting and len(self._endings) < len(given.ranks):
            ready, _ = self._ray.wait([*waiting], num_returns=1, timeout=_LOOK_SECONDS)
            for reference in ready:
                number = waiting.pop(reference)
                if self._take(number, reference):
                    waiting[self._actors[number].news.remote(_NEWS_SECONDS)] = number
            if tail is not None:
                tail.advance()
            now = time.monotonic()
            if stop_at is None and any(ending.failed for ending in self._endings.values()):
                stop_at = now + SETTLE_SECONDS
            if deadline is not None and now > deadline and stop_at is None:
                self._timed_out = True
            if not self._stopping and (
                self._interrupted or self._timed_out or (stop_at is not None and now >= stop_at)
            ):
                self._stop(at_once=False)
                give_up_at = now + given.supervision.grace + _STOP_SECONDS
            if len(self._interrupted) > 1:
                self._stop(at_once=True)
                give_up_at = min(give_up_at or now + 1.0, now + 1.0)
            if give_up_at is not None and now > give_up_at:
                break
        return self._outcome()

    def _take(self, number: int, reference: Any) -> bool:
        """Process the messages of an actor; return whether it still runs."""
        try:
            news = self._ray.get(reference)
        except Exception as error:  # Ray has several classes of errors for a lost actor
            self._lose(number, error)
            return False
        for rank, piece, code in news:
            if code is None:
                self._logs[rank].write(piece)
            else:
                self._end_rank(rank, code)
        return True

    def _lose(self, number: int, error: Exception) -> None:
        """Record that a server was lost, with its ranks."""
        reason = str(error).strip().partition("\n")[0] or type(error).__name__
        for rank in self._given.job.on(number):
            if rank.number not in self._endings:
                self._logs[rank.number].write(f"error: its server was lost: {reason}\n".encode())
                self._end_rank(rank.number, _LOST)

    def _end_rank(self, rank: int, code: int) -> None:
        log, seconds = self._given.job.log(rank), time.monotonic() - self._began
        self._endings[rank] = Ending.from_shell_code(log, code, seconds, stopped=self._stopping)

    def _outcome(self) -> Outcome:
        now = time.monotonic() - self._began
        ranks = [rank.number for rank in self._given.ranks]
        endings = [
            self._endings.get(rank)
            or Ending(self._given.job.log(rank), None, None, now, stopped=True)
            for rank in ranks
        ]
        in_order = [rank for rank, ending in self._endings.items() if ending.failed]
        failed = tuple(ranks.index(rank) for rank in in_order)
        return Outcome(tuple(endings), failed, now, self._timed_out)

    def pass_on(self, number: int, _frame: object) -> None:
        """Send every rank a signal."""
        for actor in self._actors:
            actor.pass_on.remote(number)

    def _stop(self, *, at_once: bool) -> None:
        self._stopping = True
        for actor in self._actors:
            actor.stop.remote(at_once)

    def end(self) -> None:
        """Release the servers; agents stop ranks whose actor no longer runs."""
        for log in self._logs.values():
            log.close()
        with contextlib.suppress(Exception):  # the cluster may have gone
            for actor in self._actors:
                self._ray.kill(actor)
            if self._group is not None:
                importlib.import_module("ray.util").remove_placement_group(self._group)


ENGINE = Engine("ray", OPTIONS, dry_run, _run, _check, count_servers=lambda: None)
