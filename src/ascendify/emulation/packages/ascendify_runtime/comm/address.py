"""The address of rank 0, and the token that proves that a process belongs to the job.

``ASCENDIFY_JOB=host:port:token`` sets both. Without it (the user's own script has started the
ranks) both are derived from values that all ranks share: JOB_ID, the contents of RANK_TABLE_FILE,
CM_CHIEF_IP and CM_CHIEF_PORT, the number of ranks and the user. A hash of these gives the token and
a port on loopback. Two jobs of one user at the same time on one machine therefore need different
JOB_IDs.
"""

import hashlib
import os

FIRST_PORT = 20000
PORTS = 12000
"""Number of ports from FIRST_PORT on; all are below the ephemeral ports of the system."""


class JobAddress:
    """Host and port of rank 0, and the job's token."""

    def __init__(self, host, port, token):
        self.host = host
        self.port = port
        self.token = token

    def __str__(self):
        return "{}:{}".format(self.host, self.port)


def job_address(size, environment=None):
    """Return the address of the job that this process is a rank of."""
    environment = os.environ if environment is None else environment
    given = environment.get("ASCENDIFY_JOB")
    return _given(given) if given else _derived(size, environment)


def _given(text):
    parts = text.rsplit(":", 2)
    if len(parts) != 3 or not parts[1].isdigit() or not parts[2]:
        raise ValueError("ASCENDIFY_JOB is {!r}; it must be host:port:token, or unset".format(text))
    return JobAddress(parts[0].strip("[]"), int(parts[1]), parts[2])


def _derived(size, environment):
    shared = [str(size), str(os.getuid() if hasattr(os, "getuid") else "")]
    shared += [environment.get(key, "") for key in ("JOB_ID", "CM_CHIEF_IP", "CM_CHIEF_PORT")]
    digest = hashlib.sha256("\n".join(shared).encode("utf-8"))
    digest.update(_table(environment.get("RANK_TABLE_FILE")))
    port = FIRST_PORT + int(digest.hexdigest()[:8], 16) % PORTS
    return JobAddress("127.0.0.1", port, digest.hexdigest()[8:40])


def _table(path):
    """Return the contents of the rank table: ranks may name it by different relative paths."""
    if not path:
        return b""
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return path.encode("utf-8")
