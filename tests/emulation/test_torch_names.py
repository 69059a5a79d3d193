"""Every name that the migration may write for a CUDA name exists in the emulated torch_npu."""

from __future__ import annotations

import json
import subprocess

from ascendify.catalog import torch_npu
from ascendify.catalog._data import table
from support.torch_cases import environment

ABSENT = {
    "torch.npu.NPUGraph.get_graph_data": "describes a graph in the words of CUDA's library",
    "torch.npu.NPUGraph.raw_cuda_graph": "a pointer for CUDA's library",
    "torch.npu.NPUGraph.raw_cuda_graph_exec": "a pointer for CUDA's library",
}
"""Names that the stand-in lacks, and why."""

LOOK = """
import inspect, json, sys
import torch, torch_npu

MADE = {getattr(torch.npu, kind): getattr(torch.npu, kind)() for kind in (
    "Stream", "Event", "MemPool", "NPUGraph"
) if hasattr(torch.npu, kind)}

def missing(name):
    root, *parts = name.split(".")
    found = {"torch": torch, "torch_npu": torch_npu}[root]
    for part in parts:
        owner = MADE.get(found, found) if isinstance(found, type) else found
        if not hasattr(owner, part):
            return True
        found = getattr(owner, part)
    return False

def added_by_torch(name):
    # torch gives these to the class for any accelerator, but not before 2.4
    made = inspect.signature(torch.utils.generate_methods_for_privateuse1_backend).parameters
    return "PackedSequence" in name and "for_packed_sequence" not in made

def refused(name):
    # the release that is stood in for does not have it either
    owner, _, last = name.replace("torch.npu", "torch_npu.npu", 1).rpartition(".")
    return last in torch_npu._release.chosen().lacks().get(owner, {})

names = [name for name in json.load(sys.stdin) if missing(name)]
print(json.dumps([name for name in names if not refused(name) and not added_by_torch(name)]))
"""


def cuda_names() -> set[str]:
    """Names of CUDA, public or known to be replaced."""
    found = set(table("torch-npu-api")["counterparts"])
    for section, separate in (("signatures-torch", "names"), ("types-torch", "members")):
        for owner, below in table(section)[separate].items():
            if owner == "torch.cuda" or owner.startswith("torch.cuda."):
                names = below.split() if isinstance(below, str) else below
                found.update({owner, *(f"{owner}.{member}" for member in names)})
    private = table("torch-npu-api")["private"].split()
    return found | {f"torch.cuda.{name}" for name in private}


def written() -> set[str]:
    """What the migration writes for them, and what the catalogue says exists."""
    answers = {torch_npu.counterpart(name) for name in cuda_names()}
    listed = {
        f"{module}.{member}"
        for module, names in table("torch-npu-api")["names"].items()
        for member in names.split()
    }
    return {name for name in answers | listed if name and name.startswith("torch")}


def test_every_name_that_is_written_exists(preloaded_torch: str) -> None:
    requested = sorted(written())
    assert len(requested) > 200
    ended = subprocess.run(
        [preloaded_torch, "-c", LOOK],
        env=environment(),
        input=json.dumps(requested),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert ended.returncode == 0, ended.stderr
    assert set(json.loads(ended.stdout)) == set(ABSENT)
