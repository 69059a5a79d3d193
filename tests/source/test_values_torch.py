"""Inference over PyTorch code: receivers, containers and operators keep what is known."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from ascendify.catalog.knowledge import CatalogKnowledge
from ascendify.source.inference.resolver import Resolver
from ascendify.source.project import Project

HEAD = """
import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(3, 4)
        self.layers = nn.ModuleList([nn.Linear(4, 4)])

    def extra(self):
        return torch.zeros(1)

net = Net()
x = torch.zeros(2, 3)
"""


def kinds(tmp_path: Path, text: str) -> tuple[tuple[str, ...], bool]:
    """What ``result`` is at the end of the text."""
    (tmp_path / "a.py").write_text(HEAD + text + "\nresult\n", encoding="utf-8")
    project = Project(tmp_path, ["a.py"], external=frozenset({"torch"}))
    module = project.module("a.py")
    assert module is not None
    module.index  # noqa: B018 - the walk that marks scopes
    last = module.tree.body[-1]
    assert isinstance(last, ast.Expr)
    return Resolver(project, CatalogKnowledge()).kinds(module, last.value)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("result = net.cuda()", "torch.nn.Module"),
        ("result = Net().cuda().train().extra()", "torch.Tensor"),
        ("result = nn.Linear(1, 2).to('cuda')", "torch.nn.Linear"),
        ("result = DDP(net.cuda(), device_ids=[0])", "torch.nn.parallel.DistributedDataParallel"),
        ("result = DDP(net).module", "torch.nn.Module"),
        ("result = net.body(x)", "torch.Tensor"),
        ("for result in net.layers:\n    pass", "torch.nn.Module"),
        ("for result in net.parameters():\n    pass", "torch.nn.Parameter"),
        ("for name, p in net.named_parameters():\n    result = p.data", "torch.Tensor"),
        ("for i, p in enumerate(net.parameters()):\n    result = p", "torch.nn.Parameter"),
        (
            "for a, b in zip(net.parameters(), net.buffers()):\n    result = b",
            "torch.Tensor",
        ),
        ("result = list(net.parameters())[0]", "torch.nn.Parameter"),
        ("result = next(net.parameters())", "torch.nn.Parameter"),
        ("result = next(net.parameters()).device", "torch.device"),
        ("result, indices = torch.topk(x, 2)", "torch.Tensor"),
        ("result = torch.topk(x, 2).indices", "torch.Tensor"),
        ("result, *rest = torch.split(x, 1)", "torch.Tensor"),
        ("result = torch.split(x, 1)[1:]", "tuple[torch.Tensor,...]"),
        ("result = x[1:]", "torch.Tensor"),
        ("result = -x", "torch.Tensor"),
        ("result = x > 0", "torch.Tensor"),
        ("result = (x * 2 + 1).detach()", "torch.Tensor"),
        ("result = torch.cuda.FloatTensor(3)", "torch.cuda.FloatTensor"),
        ("result = torch.npu.current_stream()", "torch.npu.Stream"),
    ],
)
def test_kind(tmp_path: Path, text: str, kind: str) -> None:
    assert kinds(tmp_path, text) == ((kind,), True)


@pytest.mark.parametrize(
    "text",
    [
        "result = net(x)",
        "result = torch.load('f')",
        "for result in torch.utils.data.DataLoader([1]):\n    pass",
        "result = x is None",
        "result = not x",
        "result = torch.max(x, 1)",
        "result = next(unknown)",
        "result = list(unknown)",
        "for i, result in enumerate(unknown):\n    pass",
    ],
)
def test_unknown(tmp_path: Path, text: str) -> None:
    assert kinds(tmp_path, text) == ((), False)


@pytest.mark.parametrize(
    ("expression", "name"),
    [
        ("net.cuda", "torch.nn.Module.cuda"),
        ("net.body.to", "torch.nn.Module.to"),
        ("x.cuda", "torch.Tensor.cuda"),
        ("x.is_cuda", "torch.Tensor.is_cuda"),
        ("x.device.type", "torch.device.type"),
        ("next(net.parameters()).is_cuda", "torch.Tensor.is_cuda"),
        ("torch.cuda.Stream().cuda_stream", "torch.cuda.Stream.cuda_stream"),
        (
            "torch.cuda.get_device_properties(0).major",
            "torch.cuda._CudaDeviceProperties.major",
        ),
        ("torch.cuda.amp.GradScaler().scale", "torch.amp.GradScaler.scale"),
    ],
)
def test_names_rules_look_for(tmp_path: Path, expression: str, name: str) -> None:
    (tmp_path / "a.py").write_text(HEAD + expression + "\n", encoding="utf-8")
    project = Project(tmp_path, ["a.py"], external=frozenset({"torch"}))
    module = project.module("a.py")
    assert module is not None
    module.index  # noqa: B018 - the walk that marks scopes
    last = module.tree.body[-1]
    assert isinstance(last, ast.Expr)
    assert Resolver(project, CatalogKnowledge()).names(module, last.value) == ((name,), True)
