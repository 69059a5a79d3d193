"""The Ray actor that runs the ranks of one server; an agent supervises each rank's process.

Ray sends this file to the servers, which therefore need Ray but not ascendify.
"""

import contextlib
import json
import os
import queue
import signal
import socket
import subprocess
import sys
import threading

MOST_WAITING = 512
"""The most pieces of output that wait to be fetched; a rank that prints faster has to wait."""
PIECE = 1 << 16
NOT_THE_USERS = ("OMP_NUM_THREADS", "PYTHONBREAKPOINT")
"""Variables that Ray sets for its own workers; a rank must not inherit them."""


class RayServer:
    """The ranks of one server, inside a Ray worker."""

    def __init__(self):
        self._agents = {}
        self._news = queue.Queue(MOST_WAITING)

    def describe(self, resource, hccn):
        """Return a description of this server for the ranks of other servers."""
        import ray  # noqa: PLC0415 (only servers need it)

        try:
            with open(hccn, encoding="utf-8", errors="replace") as file:
                lines = file.read().splitlines()
        except OSError:
            lines = []
        chosen = ray.get_runtime_context().get_accelerator_ids().get(resource, [])
        return {
            "name": socket.gethostname(),
            "address": ray.util.get_node_ip_address(),
            "hccn": lines,
            "devices": [int(each) for each in chosen if str(each).isdigit()],
            "folder": os.getcwd(),
        }

    def start(self, program, plans):
        """Start ranks, each with its own plan and agent."""
        variables = {key: os.environ[key] for key in os.environ if key not in NOT_THE_USERS}
        for plan in plans:
            number = plan["ranks"][0]["rank"]
            agent = subprocess.Popen(
                (sys.executable, "-c", program),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                env=variables,
                start_new_session=True,
            )
            self._agents[number] = agent
            threading.Thread(target=self._attend, args=(number, agent), daemon=True).start()
            agent.stdin.write(json.dumps(plan).encode() + b"\n")
            agent.stdin.flush()

    def _attend(self, number, agent):
        """Read what a rank prints until it has exited."""
        while True:
            piece = agent.stdout.read1(PIECE)
            if not piece:
                break
            self._news.put((number, piece, None))
        self._news.put((number, b"", agent.wait()))

    def news(self, seconds):
        """Return, in order, output and exits of the ranks; wait a while for the first."""
        try:
            found = [self._news.get(timeout=seconds)]
        except queue.Empty:
            return []
        while len(found) < MOST_WAITING:
            try:
                found.append(self._news.get_nowait())
            except queue.Empty:
                break
        return found

    def pass_on(self, number):
        """Send every rank a signal."""
        self._write("signal {}\n".format(number).encode())

    def stop(self, at_once):
        """Make the agents stop their ranks."""
        if at_once:
            self.pass_on(signal.SIGKILL.value)
        for agent in self._agents.values():
            with contextlib.suppress(OSError):
                agent.stdin.close()

    def _write(self, line):
        for agent in self._agents.values():
            with contextlib.suppress(OSError, ValueError):  # it may have exited
                agent.stdin.write(line)
                agent.stdin.flush()
