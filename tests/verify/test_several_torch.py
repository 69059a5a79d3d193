"""A PyTorch program for one device, made data-parallel: one rank trains as before, two as one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from ascendify.migrate import migrate
from ascendify.migrate.settings import load
from ascendify.verify.judge import Verdict, VerifyResult
from ascendify.verify.request import VerifyRequest
from ascendify.verify.session import verify
from ascendify.verify.several import OWN
from ascendify.verify.sides import ORIGINAL, Side, run
from support.interpreters import preloaded

pytestmark = pytest.mark.xdist_group("several-devices-torch")

PROGRAM = """\
import argparse
import numpy
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    def __init__(self, own):
        super().__init__()
        self.features = nn.Sequential(nn.Linear(12, 16), nn.BatchNorm1d(16) if own else nn.Tanh())
        self.drop = nn.Dropout(0.5 if own else 0.0)
        self.head = nn.Linear(16, 3)

    def forward(self, x):
        return self.head(self.drop(self.features(x)))


def train(args, model, loader, optimizer, epoch):
    total = 0.0
    for x, y in loader:
        x, y = x.cuda(), y.cuda()
        if args.own:
            x = x + 0.1 * torch.randn(x.shape, device=x.device)
            x = x + torch.from_numpy(numpy.random.normal(0, 0.1, x.shape)).float().cuda()
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        total += loss.item() * len(x)
    print(f'epoch {epoch}: {total / len(loader.dataset):.6f}')


if __name__ == '__main__':
    parser = argparse.ArgumentParser()
    parser.add_argument('--batch-size', type=int, default=8)
    parser.add_argument('--own', action='store_true')
    args = parser.parse_args()
    torch.manual_seed(3)
    x = torch.randn(52, 12)
    data = TensorDataset(x, (x.sum(1) > 0).long() + (x[:, 0] > 1).long())
    loader = DataLoader(data, batch_size=args.batch_size, shuffle=True)
    model = nn.DataParallel(Net(args.own)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    for epoch in range(2):
        train(args, model, loader, optimizer, epoch)
        torch.save({'epoch': epoch, 'model': model.module.state_dict()}, 'net.pt')
"""


STREAM = (
    PROGRAM.replace("DataLoader, TensorDataset", "DataLoader, IterableDataset, TensorDataset")
    .replace(
        "def train(",
        """class Rows(IterableDataset):
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __iter__(self):
        return iter(self.rows)


def train(""",
    )
    .replace("    loader = DataLoader(data, batch_size=args.batch_size, shuffle=True)",
             "    loader = DataLoader(Rows(data), batch_size=args.batch_size)")
)  # fmt: skip
"""The same with samples that have no indices."""


class Project:
    """The program, its migration, and runs of the original by the options it had."""

    def __init__(self, folder: Path, python: str, program: str = PROGRAM) -> None:
        self.original, self.migrated = folder / "project", folder / "migrated"
        self.original.mkdir()
        (self.original / "train.py").write_text(program)
        migrate(load(self.original, output=self.migrated, distributed="add", undo=False))
        self.python = python
        self.folder = folder
        self._runs: dict[tuple[str, ...], Side] = {}

    def verdict(self, devices: int, *options: str, right: str = "", wrong: str = "") -> Verdict:
        """Verify on some devices, with one text of the migrated program replaced."""
        command = (self.python, "train.py", *options)
        migrated = (*command, "--batch-size", str(8 // devices))
        number = len(list(self.folder.iterdir()))
        request = VerifyRequest(
            self.original, self.migrated, command, migrated, devices=devices, repeat=False,
            folder=self.folder / f"verified{number}",
        )  # fmt: skip
        if options not in self._runs:
            logs = self.folder / f"original{number}"
            self._runs[options] = run(ORIGINAL, request, self.original, logs)
        if right:
            program = (self.migrated / "train.py").read_text()
            assert program.count(right) == 1, program
            changed = program.replace(right, wrong).encode()
            request = replace(request, replaced=(("train.py", changed),))
        return verify(request, lambda _: None, self._runs[options])


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory, torch_python: str) -> Iterator[Project]:
    yield Project(tmp_path_factory.mktemp("several"), preloaded(torch_python, "torch"))


def test_one_rank_trains_to_the_bit_as_before(project: Project) -> None:
    verdict = project.verdict(1, "--own")
    assert verdict.result is VerifyResult.PASS, verdict.reasons
    assert [one.largest_error for one in verdict.comparisons] == [0.0, 0.0]
    assert [max(one.errors.values(), default=0.0) for one in verdict.weights] == [0.0, 0.0]


def test_two_ranks_with_half_of_the_batch_train_as_one(project: Project) -> None:
    verdict = project.verdict(2)
    assert verdict.result is VerifyResult.PASS, verdict.reasons
    assert not verdict.without, "the order of the samples is that of one process"


def test_two_ranks_divide_a_stream(tmp_path: Path, torch_python: str) -> None:
    verdict = Project(tmp_path, preloaded(torch_python, "torch"), STREAM).verdict(2)
    assert verdict.result is VerifyResult.PASS, verdict.reasons
    assert not verdict.without


def test_a_last_batch_of_one_sample_is_warned_of(tmp_path: Path, torch_python: str) -> None:
    project = Project(tmp_path, preloaded(torch_python, "torch"), PROGRAM.replace("52", "50"))
    verdict = project.verdict(2)  # 25 samples each, in batches of 4
    assert verdict.migrated is not None
    text = "".join(log.read_text() for log in verdict.migrated.logs)
    assert text.count("its last batch of 4 has one, with which BatchNorm fails") == 1


def test_two_ranks_agree_without_what_each_has_of_its_own(project: Project) -> None:
    verdict = project.verdict(2, "--own")
    assert verdict.result is VerifyResult.PASS, verdict.reasons
    assert verdict.without == OWN


WRONG = {
    "gradients are not averaged": ("model = npu_ddp.wrap(model)", "pass"),
    "samples are not divided": ("npu_ddp.share(", "("),
}
"""What a migration may get wrong: what it wrote, and what a wrong one might have written."""


@pytest.mark.parametrize(("right", "wrong"), WRONG.values(), ids=WRONG)
def test_mistakes_are_seen(project: Project, right: str, wrong: str) -> None:
    verdict = project.verdict(2, right=right, wrong=wrong)
    assert verdict.result is VerifyResult.MISMATCH
    assert verdict.reasons
