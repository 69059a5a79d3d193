"""PyTorch examples, run and compared bit by bit; migrations made wrong on purpose are caught."""

# ruff: noqa: E501

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from ascendify.verify.judge import VerifyResult
from ascendify.verify.request import VerifyRequest
from ascendify.verify.session import verify
from ascendify.verify.sides import Side
from ascendify.verify.tolerance import Tolerance
from support.commands import ascendify
from support.interpreters import user_environment
from support.verified_torch_examples import (
    VERIFIED,
    compare,
    migrated,
    original,
    request,
    run_migrated,
    run_original,
)

SCRIPTS = Path(__file__).parent / "scripts"


class Originals:
    """Originals that were run, and their migrations; one run serves all that compare with it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._ran: dict[str, tuple[VerifyRequest, Side]] = {}

    def ran(self, name: str, python: str) -> tuple[VerifyRequest, Side]:
        if name not in self._ran:
            source = original(VERIFIED[name], self._folder / name)
            migrated(source, python)
            requested = request(VERIFIED[name], source, python)
            self._ran[name] = (requested, run_original(requested))
        requested, side = self._ran[name]
        assert side.outcome.succeeded, side.blamed.last_lines
        return requested, side


@pytest.fixture(scope="module")
def originals(tmp_path_factory: pytest.TempPathFactory) -> Originals:
    return Originals(tmp_path_factory.mktemp("originals"))


def together(example: str) -> pytest.MarkDecorator:
    """What compares with one original belongs in one process, which runs it once."""
    return pytest.mark.xdist_group(f"torch-{example}")


@pytest.mark.parametrize("name", [pytest.param(name, marks=together(name)) for name in VERIFIED])
def test_migrated_trains_with_the_numbers_of_the_original(
    name: str, preloaded_torch: str, originals: Originals, tmp_path: Path
) -> None:
    requested, first = originals.ran(name, preloaded_torch)
    copy = shutil.copytree(requested.migrated, tmp_path / "migrated")
    second = run_migrated(replace(requested, migrated=copy))
    assert second.outcome.succeeded, second.blamed.last_lines
    evidence, refused = compare(first, second, requested)
    assert evidence.reasons == []
    assert [one.largest_error for one in evidence.weights] == [0.0] * len(evidence.weights)
    assert "final weights" in {one.what for one in evidence.weights}
    losses = [one for one in evidence.comparisons if one.original.is_loss]
    assert {one.rank for one in losses} == set(range(requested.devices))
    for one in evidence.comparisons:
        assert len(one.original.points) == len(one.migrated.points) == one.compared
        assert one.largest_error == 0.0
    assert refused == set(VERIFIED[name].refused)


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=together(name)) for name in ("amp", "argparse", "autoaugment")],
)
def test_tuned_trains_with_the_numbers_of_the_original(
    name: str, preloaded_torch: str, originals: Originals
) -> None:
    requested, first = originals.ran(name, preloaded_torch)
    folder = migrated(requested.original, preloaded_torch, "tuned", tune=True)
    assert "torch_npu.optim.NpuFused" in (folder / "train.py").read_text(encoding="utf-8")
    second = run_migrated(replace(requested, migrated=folder))
    assert second.outcome.succeeded, second.blamed.last_lines
    evidence, refused = compare(first, second, requested)
    assert evidence.reasons == []
    assert evidence.weights
    assert refused == set(VERIFIED[name].refused)


MUTATIONS: dict[str, tuple[str, str, str, str]] = {
    "input left on the CPU": (
        "autoaugment", "train.py", "images = images.npu(non_blocking=True)", "images = images",
    ),
    "labels left on the CPU": (
        "autoaugment", "train.py", "labels = labels.npu(non_blocking=True)", "labels = labels",
    ),
    "model left on the CPU": (
        "autoaugment", "train.py", "WideResNet(args.depth, args.width).npu()",
        "WideResNet(args.depth, args.width)",
    ),
    "optimizer on dead parameters": (
        "autoaugment", "train.py", "        model.parameters(), lr=args.lr",
        "        [p.detach().clone().requires_grad_() for p in model.parameters()], lr=args.lr",
    ),
    "dropout and batch statistics in validation": (
        "autoaugment", "train.py", "    model.eval()\n", "",
    ),
    "seed lost": ("autoaugment", "train.py", "    utils.seed_everything(args.seed)\n", ""),
    "Nesterov lost": (
        "autoaugment", "train.py", ", nesterov=args.nesterov)", ")",
    ),
    "gradients not zeroed": ("autoaugment", "train.py", "        optimizer.zero_grad()\n", ""),
    "dropout lost": (
        "autoaugment", "models/wideresnet.py", "training=self.training", "training=False",
    ),
    "augmentation of other samples": (
        "autoaugment", "dataset.py", "if random.random() < 0.5:", "if torch.rand(()) < 0.5:",
    ),
    "trained on the CPU": (
        "argparse", "train.py", "torch.npu.is_available()", "torch.cuda.is_available()",
    ),
    "gradients clipped on the way": (
        "argparse", "train.py", "clip_grad_norm_(model.parameters(), 1.0)",
        "clip_grad_norm_(model.parameters(), 0.1)",
    ),
    "another device in the configuration": (
        "argparse", "config.yaml", "device: npu", "device: cuda",
    ),
    "data never moved": ("notebook", "spirals.py", "x, y = x.npu(), y.npu()\n", ""),
    "order drawn on the CPU twice": (
        "notebook", "spirals.py", "net = Net().to(device)", "net = Net().to(device)\ntorch.randperm(3)",
    ),
    "autocast of the GPU left": (
        "amp", "train.py", "with autocast(enabled=args.amp, dtype=dtype):",
        "with torch.autocast('cuda', enabled=args.amp, dtype=dtype):",
    ),
    "autocast lost": (
        "amp", "train.py", "with autocast(enabled=args.amp, dtype=dtype):",
        "with autocast(enabled=False, dtype=dtype):",
    ),
    "loss not scaled": ("amp", "train.py", "scaler.scale(loss).backward()", "loss.backward()"),
    "gradients not unscaled before clipping": (
        "amp", "train.py", "        scaler.unscale_(optimizer)\n", "",
    ),
    "arguments of the scaler by place": (
        "bfloat16", "train.py",
        "GradScaler(2. ** 10, 2.0, 0.5, 8, enabled=", "GradScaler(2. ** 10, 2.0, 0.5, 8, ",
    ),
    "noise lost": (
        "accelerate", "train.py", "torch.npu.FloatTensor(std.size()).normal_()",
        "torch.npu.FloatTensor(std.size()).zero_()",
    ),
    "no accumulation": (
        "accelerate", "train.py", "gradient_accumulation_steps=args.accumulate",
        "gradient_accumulation_steps=1",
    ),
    "sum instead of mean": (
        "imagenet", "main.py", "nn.CrossEntropyLoss()", "nn.CrossEntropyLoss(reduction='sum')",
    ),
    "smaller last batch dropped": (
        "imagenet", "main.py", "pin_memory=True, sampler=train_sampler)",
        "pin_memory=True, sampler=train_sampler, drop_last=True)",
    ),
    "learning rate not stepped": ("imagenet", "main.py", "        scheduler.step()\n", ""),
    "checkpoint loaded to a GPU": (
        "resumed", "main.py", "loc = 'npu:{}'", "loc = 'cuda:{}'",
    ),
    "epoch not passed to the sampler": (
        "torchrun", "main.py", "            train_sampler.set_epoch(epoch)\n", "            pass\n",
    ),
    "every rank reads everything": (
        "torchrun", "main.py", "DistributedSampler(train_dataset)",
        "DistributedSampler(train_dataset, num_replicas=1, rank=0)",
    ),
    "gradients not averaged": (
        "torchrun", "main.py",
        "        model = torch.nn.parallel.DistributedDataParallel(model, device_ids=[args.gpu])\n", "",
    ),
    "buffers not broadcast": (
        "torchrun", "main.py", "device_ids=[args.gpu])", "device_ids=[args.gpu], broadcast_buffers=False)",
    ),
    "another backend": ("torchrun", "main.py", "default='hccl'", "default='gloo'"),
    "one device for all ranks": (
        "torchrun", "main.py",
        "        torch.npu.set_device(args.gpu)\n        model.npu(args.gpu)\n", "        model.npu()\n",
    ),
}  # fmt: skip
"""Example, file, what the migration wrote, and what a bad one might have written."""


@pytest.mark.parametrize(
    "mutation",
    [
        pytest.param(name, id=f"{item[0]}: {name}", marks=together(item[0]))
        for name, item in MUTATIONS.items()
    ],
)
def test_a_wrong_migration_is_caught(
    mutation: str,
    preloaded_torch: str,
    originals: Originals,
    tmp_path: Path,
) -> None:
    name, file, right, wrong = MUTATIONS[mutation]
    requested, first = originals.ran(name, preloaded_torch)
    copy = shutil.copytree(requested.migrated, tmp_path / "migrated")
    text = (copy / file).read_text(encoding="utf-8")
    assert text.count(right) == 1, f"{file} has no single place for the mutation"
    (copy / file).write_text(text.replace(right, wrong), encoding="utf-8")
    second = run_migrated(replace(requested, migrated=copy))
    if second.outcome.succeeded:
        evidence, refused = compare(first, second, requested)
        assert evidence.reasons or refused > set(VERIFIED[name].refused)


def test_migrate_and_verify_in_one_go(preloaded_torch: str, tmp_path: Path) -> None:
    example = VERIFIED["argparse"]
    source, output = original(example, tmp_path), tmp_path / "npu"
    done = ascendify(
        *("migrate", source, "-o", output),
        *("--verify", example.command.format(python=preloaded_torch)),
        variables=user_environment(),
    )
    reported = done.stdout + done.stderr
    assert "PASS" in done.stdout, reported
    assert [line.split()[-1] for line in done.stdout.splitlines() if "points" in line] == [
        "same"
    ] * 2
    # The code is that of the migration, which leaves things to look at.
    assert done.returncode in (0, 1), reported
    assert ".to(device)" in (output / "train.py").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("written", "wrong"),
    [
        pytest.param("", "", id="as-written"),
        pytest.param("epsilon=self.eps", "epsilon=0.1", id="another-epsilon"),
        pytest.param("npu_rotary_mul(x, cos, sin)", "npu_rotary_mul(x, sin, cos)", id="sine-and-cosine"),
        pytest.param("cat((gate, up), dim=-1)", "cat((up, gate), dim=-1)", id="gate-and-value"),
    ],
)  # fmt: skip
def test_operators_in_place_of_steps_train_with_their_numbers(
    written: str, wrong: str, preloaded_torch: str, tmp_path: Path
) -> None:
    """Every fused operator is reached, so that one that computes something else is caught."""
    source = tmp_path / "original"
    source.mkdir()
    shutil.copy(SCRIPTS / "torch_llama.py", source / "train.py")
    program = migrated(source, preloaded_torch, tune=True) / "train.py"
    text = program.read_text(encoding="utf-8")
    assert text.count("npu_rms_norm(") == 2
    assert written in text
    program.write_text(text.replace(written, wrong) if written else text, encoding="utf-8")
    command = (preloaded_torch, "train.py")
    requested = VerifyRequest(source, program.parent, command, command, timeout=300)
    first, second = run_original(requested), run_migrated(requested)
    assert first.outcome.succeeded, first.blamed.last_lines
    assert second.outcome.succeeded, second.blamed.last_lines
    assert (compare(first, second, requested)[0].reasons == []) == (not wrong)


def twins(
    root: Path, script: str, interpreter: str, replacements: dict[str, str], devices: int = 1
) -> VerifyRequest:
    """A script and its migration by replacing texts, in folders of their own."""
    text = (SCRIPTS / script).read_text(encoding="utf-8")
    changed = text
    for word, other in replacements.items():
        changed = changed.replace(word, other)
    for name, written in (("original", text), ("migrated", changed)):
        (root / name).mkdir()
        (root / name / "train.py").write_text(written, encoding="utf-8")
    command = (interpreter, "train.py")
    return VerifyRequest(root / "original", root / "migrated", command, command, devices=devices)


@pytest.mark.parametrize("converted", ["SyncBatchNorm.convert_sync_batchnorm", "Identity()"])
def test_batches_normalised_together(converted: str, preloaded_torch: str, tmp_path: Path) -> None:
    replacements = {
        "cuda": "npu",
        "nccl": "hccl",
        "SyncBatchNorm.convert_sync_batchnorm": converted,
    }
    requested = twins(tmp_path, "torch_sync.py", preloaded_torch, replacements, devices=2)
    first, second = run_original(requested), run_migrated(requested)
    assert first.outcome.succeeded, first.blamed.last_lines
    assert second.outcome.succeeded, second.blamed.last_lines
    evidence, _ = compare(first, second, requested)
    assert (evidence.reasons == []) == (converted != "Identity()")
    if converted != "Identity()":  # deep networks make much of a rounding error
        assert {one.largest_error for one in evidence.comparisons} == {0}


@pytest.mark.parametrize("key", ["cuda:0", "npu:0"])
def test_weights_that_were_saved_on_a_gpu(key: str, preloaded_torch: str, tmp_path: Path) -> None:
    replacements = {'{"cuda:0": "cuda:0"}': f'{{"{key}": "npu:0"}}', ".cuda()": ".npu()"}
    requested = twins(tmp_path, "torch_gpu_file.py", preloaded_torch, replacements)
    make = (preloaded_torch, "train.py", "pretrained.pt")
    subprocess.run(make, cwd=requested.original, env=user_environment(), check=True, timeout=300)
    shutil.copy(requested.original / "pretrained.pt", requested.migrated)
    first, second = run_original(requested), run_migrated(requested)
    assert first.outcome.succeeded, first.blamed.last_lines
    assert second.outcome.succeeded == (key == "cuda:0"), second.blamed.last_lines
    if second.outcome.succeeded:
        assert compare(first, second, requested)[0].reasons == []


CHANNELS_LAST = """\
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Conv2d(3, 16, 3), nn.ReLU(), nn.Conv2d(16, 8, 3), nn.Flatten())
net = net.to(memory_format=torch.channels_last)
net.cuda()
optimizer = torch.optim.RMSprop(net.parameters(), lr=1e-3, momentum=0.99)
for step in range(12):
    x = torch.randn(4, 3, 12, 12).to(device="cuda", memory_format=torch.channels_last)
    loss = nn.functional.cross_entropy(net(x), torch.randint(0, 4, (4,)).cuda())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
FUSED = """\
import torch

torch.manual_seed(0)
net = torch.nn.Linear(64, 64).cuda()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2, fused=True)
for step in range(12):
    loss = net(torch.randn(4, 64).cuda()).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


@pytest.mark.parametrize(
    ("program", "removed", "name"),
    [
        pytest.param(CHANNELS_LAST, ", memory_format=torch.channels_last", "channels_last", id="layout"),
        pytest.param(FUSED, ", fused=True", "fused optimizers", id="optimizer"),
    ],
)  # fmt: skip
def test_a_control_run_tells_rounding_from_an_error(
    preloaded_torch: str, tmp_path: Path, program: str, removed: str, name: str
) -> None:
    """Where sums are added up in another order, no tolerance at all is needed for a control run."""
    source = tmp_path / "original"
    source.mkdir()
    (source / "train.py").write_text(program, encoding="utf-8")
    output = migrated(source, preloaded_torch)
    train = output / "train.py"
    train.write_text(train.read_text(encoding="utf-8").replace(removed, ""), encoding="utf-8")
    command = (preloaded_torch, "train.py")
    request = VerifyRequest(
        source, output, command, command, timeout=300, tolerance=Tolerance(1e-9, 0.0)
    )
    verdict = verify(request, lambda _: None)
    assert verdict.result is VerifyResult.PASS, verdict.reasons
    assert {one.largest_error for one in verdict.comparisons} == {0.0}
    assert any(f"without {name}" in note and "rounding" in note for note in verdict.notes)


def test_a_control_run_excuses_no_error(preloaded_torch: str, tmp_path: Path) -> None:
    source = tmp_path / "original"
    source.mkdir()
    (source / "train.py").write_text(FUSED, encoding="utf-8")
    output = migrated(source, preloaded_torch)
    train = output / "train.py"
    text = train.read_text(encoding="utf-8").replace(", fused=True", "").replace("1e-2", "2e-2")
    train.write_text(text, encoding="utf-8")
    command = (preloaded_torch, "train.py")
    verdict = verify(VerifyRequest(source, output, command, command, timeout=300), lambda _: None)
    assert verdict.result is VerifyResult.MISMATCH
    assert verdict.reasons[0].startswith("loss differs from step 2 on")
