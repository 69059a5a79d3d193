"""A Ray cluster of two servers with two devices each, on this machine, until its input ends.

Prints the cluster's address. A line on its input that says ``lose`` takes the second server away.
"""

from __future__ import annotations

import importlib
import sys
from typing import Any

SERVER: dict[str, Any] = {
    "num_cpus": 4,
    "resources": {"NPU": 2},
    "object_store_memory": 100 << 20,
}

if __name__ == "__main__":
    made: Any = importlib.import_module("ray.cluster_utils").Cluster
    cluster = made(initialize_head=True, head_node_args={**SERVER, "include_dashboard": False})
    second = cluster.add_node(**SERVER)
    print(cluster.address, flush=True)
    for line in sys.stdin:
        if line.strip() == "lose":
            cluster.remove_node(second, allow_graceful=False)
            print("lost", flush=True)
    cluster.shutdown()
