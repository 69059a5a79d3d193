"""torch.cuda.X becomes torch.npu.X wherever the NPU has the same function, class or module."""

from __future__ import annotations

from collections.abc import Iterator

from ascendify.catalog import torch_npu
from ascendify.findings import Status
from ascendify.rules.rule import Diagnosis, Rule
from ascendify.rules.site import Site
from ascendify.rules.torch import _cuda

RULE = Rule(
    code="TORCH-CUDA-1",
    title="Write torch.npu for torch.cuda where both have the name",
    why=(
        "Without a GPU torch.cuda.is_available() is False and the program quietly trains on the "
        "CPU, and everything that touches a device raises. torch.npu has two names out of three "
        "of torch.cuda, with the same arguments."
    ),
    statuses=(Status.AUTO,),
    before="torch.cuda.set_device(rank)\nstream = torch.cuda.Stream()",
    after="torch.npu.set_device(rank)\nstream = torch.npu.Stream()",
)


@RULE.reference(_cuda.CUDA, f"{_cuda.CUDA}.*")
@RULE.store(*(f"{_cuda.CUDA}.{name}" for name in ("is_available", "device_count", "synchronize")))
def rename(site: Site) -> Iterator[Diagnosis]:
    """Called, passed on, inherited from, used as a decorator or an annotation."""
    file = site.file
    name = site.name
    if file.facts.style == "transfer" or _cuda.is_amp(name) or not is_same(name):
        return
    if not _cuda.is_linked(file, site.node):
        # ``from torch.cuda import Stream``: the import changes, the use does not
        return
    fix = site.fix()
    spelled = file.brief(site.node)
    new = _cuda.rename(file, fix, site.node)
    yield site.finding(
        RULE, Status.AUTO, f"{spelled} is for GPUs", done=f"Replaced it by {new}.", fix=fix
    )


def is_same(name: str) -> bool:
    """Whether a name of torch.cuda is that of its counterpart, and the same thing in use."""
    if name in (_cuda.CAPABILITY, _cuda.RANGE) or _cuda.below(name, *_cuda.GRAPHS):
        return False
    target = torch_npu.counterpart(name)
    return target is not None and target.replace("torch_npu.npu", _cuda.NPU) == (
        _cuda.NPU + name[len(_cuda.CUDA) :]
    )
