"""A PyTorch program that ``--tune`` rewrites trains to the same numbers, on one rank and on two."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from ascendify.migrate import migrate
from ascendify.migrate.settings import load
from ascendify.verify.judge import Verdict, VerifyResult
from ascendify.verify.request import VerifyRequest
from ascendify.verify.session import verify
from support.interpreters import preloaded

pytestmark = pytest.mark.xdist_group("tuned-torch")

NETWORK = """\
import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads, self.scale = heads, (dim // heads) ** -0.5
        self.qkv = nn.Linear(dim, 3 * dim)
        self.drop = nn.Dropout(0.0)

    def forward(self, x):
        n, length, dim = x.shape
        qkv = self.qkv(x).reshape(n, length, 3, self.heads, dim // self.heads)
        q, k, v = qkv.permute(2, 0, 3, 1, 4).unbind(0)
        scores = (q @ k.transpose(-2, -1)) * self.scale
        scores = scores.softmax(dim=-1)
        scores = self.drop(scores)
        return (scores @ v).transpose(1, 2).reshape(n, length, dim)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens, self.places = nn.Embedding(7, 8), nn.Embedding(5, 8)
        self.attention = Attention(8, 2)
        self.norm = nn.BatchNorm1d(8)
        self.head = nn.Linear(8, 3)

    def forward(self, x):
        places = torch.arange(x.shape[1], dtype=torch.long, device=x.device).unsqueeze(0)
        mixed = self.attention(self.tokens(x) + self.places(places))
        return self.head(self.norm(mixed.mean(1)))
"""
START = """\
import os
import torch
from torch import nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset
from network import Net
"""
DATA = """\
torch.manual_seed(3)
x = torch.randint(0, 7, (32, 5))
data = TensorDataset(x, x.sum(1) % 3)
"""
STEPS = """\
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
for epoch in range(2):
    for x, y in loader:
        x, y = x.cuda(), y.cuda()
        output = model(x)
        loss = criterion(output, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print('loss', loss.item(), 'right', output.argmax(1).eq(y).sum().item())
"""
ALONE = f"""\
{START}
{DATA}
loader = DataLoader(data, batch_size=8, shuffle=True)
model = Net().cuda()
{STEPS}
torch.save(model.state_dict(), 'net.pt')
"""
SHORT = (
    ALONE.replace(
        "output = model(x)", "with torch.autocast('cuda', torch.bfloat16): output = model(x)"
    )
    .replace("AdamW(", "SGD(")
    .replace("criterion(output, y)", "criterion(output.float(), y)")
)
SEVERAL = f"""\
{START}
torch.distributed.init_process_group('nccl')
rank = int(os.environ['LOCAL_RANK'])
torch.cuda.set_device(rank)
{DATA}
loader = DataLoader(data, batch_size=4, sampler=DistributedSampler(data))
model = nn.SyncBatchNorm.convert_sync_batchnorm(Net()).cuda()
model = nn.parallel.DistributedDataParallel(model, device_ids=[rank])
{STEPS.replace("AdamW(model.parameters(), lr=0.01)", "SGD(model.parameters(), 0.1, maximize=True)")}
if rank == 0:
    torch.save(model.module.state_dict(), 'net.pt')
torch.distributed.destroy_process_group()
"""


@dataclass(frozen=True)
class Tuned:
    text: str
    verdict: Verdict


def tuned(
    folder: Path,
    program: str,
    command: tuple[str, ...],
    devices: int,
    right: str = "",
    wrong: str = "",
) -> Tuned:
    """Migrate with ``--tune``, perhaps with a mistake in the network, and verify."""
    original, migrated = folder / "project", folder / "migrated"
    original.mkdir()
    (original / "network.py").write_text(NETWORK)
    (original / "train.py").write_text(program)
    migrate(load(original, output=migrated, tune=True, undo=False))
    text = "\n".join((migrated / name).read_text() for name in ("network.py", "train.py"))
    changed = (migrated / "network.py").read_text().replace(right, wrong)
    request = VerifyRequest(
        original, migrated, command, command, devices=devices, repeat=False,
        folder=folder / "verified", replaced=(("network.py", changed.encode()),),
    )  # fmt: skip
    return Tuned(text, verify(request, lambda _: None))


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory, torch_python: str) -> Tuned:
    command = (preloaded(torch_python, "torch"), "train.py")
    return tuned(tmp_path_factory.mktemp("alone"), ALONE, command, 1)


@pytest.fixture(scope="module")
def several(tmp_path_factory: pytest.TempPathFactory, torch_python: str) -> Tuned:
    command = (preloaded(torch_python, "torch"), "train.py")
    return tuned(tmp_path_factory.mktemp("several"), SEVERAL, command, 2)


REWRITTEN = (
    "torch_npu.optim.NpuFusedAdamW(",
    'torch_npu.npu_fusion_attention(q, k, v, q.shape[1], "BNSD", scale=self.scale)[0]',
    "torch.arange(x.shape[1], dtype=torch.int32, device=x.device)",
    "x, y = x.npu(non_blocking=True), int32(y.npu(non_blocking=True))",
    "torch_npu.npu.set_compile_mode(jit_compile=False)",
    "torch_npu.npu.config.allow_internal_format = False",
    "pin_memory=True",
)


@pytest.mark.parametrize("text", REWRITTEN)
def test_what_is_faster_is_written(alone: Tuned, text: str) -> None:
    assert alone.text.count(text) == 1, alone.text


def test_one_rank_trains_to_the_same_numbers(alone: Tuned) -> None:
    assert alone.verdict.result is VerifyResult.PASS, alone.verdict.reasons
    assert max(one.largest_error for one in alone.verdict.comparisons) < 1e-5


@pytest.mark.parametrize(
    ("scale", "result"),
    [
        pytest.param("self.scale", VerifyResult.PASS, id="as it is written"),
        pytest.param("2 * self.scale", VerifyResult.MISMATCH, id="with another scale"),
    ],
)
def test_numbers_of_16_bits_take_the_operator(
    tmp_path: Path, torch_python: str, scale: str, result: VerifyResult
) -> None:
    command = (preloaded(torch_python, "torch"), "train.py")
    right, wrong = (f"scale={text})[0]" for text in ("self.scale", scale))
    assert tuned(tmp_path, SHORT, command, 1, right, wrong).verdict.result is result


def test_two_ranks_train_to_the_same_numbers(several: Tuned) -> None:
    assert "gradient_as_bucket_view=True, broadcast_buffers=buffers_differ(model)" in several.text
    assert several.verdict.result is VerifyResult.PASS, several.verdict.reasons
    assert max(one.largest_error for one in several.verdict.comparisons) < 1e-5
