"""The hccl package and the collectives in the graph."""

from __future__ import annotations

import pytest

from support.world_processes import good, numpy_python, run_ranks


def test_ranks_groups_and_splits() -> None:
    """In one process of a job of eight: these ask and name, they do not communicate."""
    ended = run_ranks(numpy_python(), "hccl_api.py", size=8, only=(5,))
    good(ended)
    assert ended[0].output == "as it should be\n"


@pytest.mark.parametrize("size", [1, 2])
def test_graph_collectives(preloaded_tensorflow: str, size: int) -> None:
    environment = {"ASCENDIFY_MISMATCH_GRACE": "1"}
    ended = run_ranks(preloaded_tensorflow, "hccl_graph.py", size=size, environment=environment)
    for rank, one in enumerate(ended):
        assert one.code == 0, f"rank {rank}:\n{one.output}\n{one.errors}"
        assert one.output == "as it should be\n"
