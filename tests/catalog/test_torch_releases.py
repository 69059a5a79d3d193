"""Releases of torch_npu: which there are, which one a PyTorch needs, what each has."""

from __future__ import annotations

import pytest

from ascendify.catalog import torch_npu_names, torch_releases
from ascendify.catalog.torch_releases import Release


def release(version: str) -> Release:
    found = torch_releases.parse(version)
    assert found is not None, version
    return found


PAIRS = {
    "2.1.0.post12": ("2.1.0", "7.0.0", "8.1.RC1"),
    "2.2.0.post2": ("2.2.0", "6.0.rc2", "8.0.RC2"),
    "2.4.0": ("2.4.0", "6.0.rc3", "8.0.RC3"),
    "2.6.0.post3": ("2.6.0", "7.2.0", "8.3.RC1"),
    "2.7.1.post2": ("2.7.1", "7.3.0", "8.5.0"),
    "2.7.1.post6": ("2.7.1", "26.0.0", ""),
    "2.10.0": ("2.10.0", "26.0.0", "9.0.0"),
    "2.12.0": ("2.12.0", "26.1.0", "9.1.0"),
    "2.14.0": ("2.14.0", "26.2.0", ""),
}


@pytest.mark.parametrize(("version", "pair"), PAIRS.items(), ids=PAIRS)
def test_pairs(version: str, pair: tuple[str, str, str]) -> None:
    found = release(version)
    assert (found.torch, found.stack, found.cann) == pair


def test_versions_are_read_as_people_write_them() -> None:
    assert release("2.7.1.post2+git1a2b").version == "2.7.1.post2"
    assert release("2.1.0rc1").version == "2.1.0.rc1"
    assert torch_releases.parse("2.7.1.post3") is None


PYTHONS = {
    "2.1.0": ("3.8", "3.10"),
    "2.1.0.post17": ("3.8", "3.11"),
    "2.6.0.post5": ("3.9", "3.12"),
    "2.9.0.post9": ("3.10", "3.14"),
    "2.10.0.post6": ("3.10", "3.11"),
}


@pytest.mark.parametrize(("version", "ends"), PYTHONS.items(), ids=PYTHONS)
def test_pythons(version: str, ends: tuple[str, str]) -> None:
    found = release(version).pythons
    assert (found[0], found[-1]) == ends


def test_one_architecture_may_have_more_pythons() -> None:
    assert "3.12" in release("2.10.0.post6").python["aarch64"]


FOR_TORCH = {
    "2.1.0": "2.1.0.post17",
    "2.1.2": "2.1.0.post17",
    "2.3.0": "2.3.1.post6",
    "2.7": "2.7.1.post11",
    "2.9.0": "2.9.0.post9",
    "2.9.1": "2.9.1",
    "2.14.0+cpu": "2.14.0",
}


@pytest.mark.parametrize(("torch", "version"), FOR_TORCH.items(), ids=FOR_TORCH)
def test_newest_for_a_torch(torch: str, version: str) -> None:
    found = torch_releases.for_torch(torch)
    assert found is not None
    assert found.version == version


@pytest.mark.parametrize("torch", ["1.13.1", "2.15.0", "0.4"])
def test_no_release_for_a_torch(torch: str) -> None:
    assert torch_releases.for_torch(torch) is None


@pytest.mark.parametrize(
    ("torch", "version"),
    [("2.15.0", "2.14.0"), ("1.13.1", "2.1.0.post17"), ("2.3.0", "2.3.1.post6")],
)
def test_nearest(torch: str, version: str) -> None:
    assert torch_releases.nearest(torch).version == version


NAMES = {
    "torch.npu.StreamContext": ("2.5.1", "2.5.1.post1"),
    "torch_npu.npu.StreamContext": ("2.4.0.post4", "2.6.0"),
    "torch.npu.mstx.range_push": ("2.7.1.post6", "2.7.1.post8"),
    "torch.npu.NPUGraph": ("2.4.0", "2.4.0.post4"),
    "torch.npu.ExternalStream": ("2.12.0", "2.12.0.post3"),
    "torch_npu.npu_fusion_attention_v3": ("2.9.0", "2.10.0"),
}


@pytest.mark.parametrize(
    ("name", "without", "having"), [(name, *pair) for name, pair in NAMES.items()], ids=NAMES
)
def test_names_begin(name: str, without: str, having: str) -> None:
    assert release(without).has(name) is False
    assert release(having).has(name) is True


def test_names_end() -> None:
    assert release("2.12.0.post3").has("torch.npu.MemPoolContext") is True
    assert release("2.13.0").has("torch.npu.MemPoolContext") is False


def test_methods_that_moved_to_a_base_class_stay() -> None:
    name = "torch_npu.utils.flops_count.FlopsCounter.start"
    assert all(release(version).has(name) for version in ("2.4.0", "2.5.1", "2.14.0"))
    assert release("2.14.0").has("torch.npu.MemPool.allocator") is False


def test_names_of_no_release_are_unknown() -> None:
    assert release("2.13.0").has("torch.npu.something_of_ours") is None


def test_arguments_begin() -> None:
    name = "torch.npu.is_bf16_supported"
    assert release("2.10.0").accepts(name, "including_emulation") is False
    assert release("2.11.0").accepts(name, "including_emulation") is True
    assert release("2.4.0").accepts("torch.npu.Stream", "anything") is None


@pytest.mark.parametrize(
    ("torch", "first"), [("2.7.1", "2.7.1.post8"), ("2.4.0", "2.11.0"), ("", "2.11.0")]
)
def test_first_release_with_a_name(torch: str, first: str) -> None:
    found = torch_releases.first_with("torch.npu.mstx.range_push", torch)
    assert found is not None
    assert found.version == first


def test_history_tells_what_came_when() -> None:
    changes = torch_releases.history("torch_npu.npu_fusion_attention")
    assert [(change.releases, change.added) for change in changes] == [
        ("up to stack 7.1.0", ()),
        ("in stack 7.2.0", ("softmax_layout",)),
        ("in stack 7.3.0", ("sink",)),
        ("since stack 26.0.0 (first 2.10.0)", ("dropout_mask", "seed", "offset")),
    ]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("torch.npu.Stream", "in every release that was read, from 2.4.0 on"),
        ("torch.npu.StreamContext", "since stack 7.1.0 (first 2.5.1.post1)"),
        (
            "torch.npu.MemPoolContext",
            "since stack 7.0.0 (first 2.3.1.post6), but not in 2.13.0, 2.14.0",
        ),
        ("torch_npu.decode_jpeg", "in 2.1.0.post17"),
        ("torch.npu.something_of_ours", ""),
    ],
)
def test_presence_in_words(name: str, words: str) -> None:
    assert torch_releases.presence(name) == words


def test_presence_of_an_argument_in_words() -> None:
    name = "torch_npu.npu_fusion_attention"
    assert torch_releases.presence(name, "sink").startswith("since stack 7.3.0")
    assert torch_releases.presence(name, "something_of_ours") == ""


@pytest.mark.parametrize(
    ("signature", "names"),
    [
        ("()", []),
        ("(a, b=(1, 2), *, c='x, y')", ["a", "b", "c"]),
        ("static(message, stream=None, domain='default')", ["message", "stream", "domain"]),
        ("class(torch_npu._C._MemPool)(allocator=None)", ["allocator"]),
        ("(Tensor x, int[2] size, *, float p=0.5) -> (Tensor, Tensor)", ["x", "size", "p"]),
        ("(fwd=None, **kwargs)", None),
        ("property", None),
        ("", None),
    ],
)
def test_parameters(signature: str, names: list[str] | None) -> None:
    assert torch_npu_names.parameters(signature) == names


def test_kernels_by_release() -> None:
    old, new = release("2.9.0"), release("2.13.0")
    assert (old.has_kernel("_fused_adam_"), new.has_kernel("_fused_adam_")) == (False, True)
    assert old.has_kernel("no_such_operator") is None


BEHAVIOURS = {
    "autoload": ("2.4.0", "2.5.1"),
    "device_capability_variable": ("2.9.0", "2.10.0"),
    "transfer_variable": ("2.7.1.post2", "2.7.1.post4"),
    "autoload_restored": ("2.12.0", "2.12.0.post3"),
    "flex_attention": ("2.12.0.post3", "2.13.0"),
    "requires_cpu_build": ("2.12.0", "2.11.0"),
}


@pytest.mark.parametrize(
    ("behaviour", "without", "having"),
    [(name, *pair) for name, pair in BEHAVIOURS.items()],
    ids=BEHAVIOURS,
)
def test_behaviour_by_release(behaviour: str, without: str, having: str) -> None:
    assert release(without).behaves(behaviour) is False
    assert release(having).behaves(behaviour) is True


def test_every_release_has_what_rules_and_the_doctor_ask_for() -> None:
    for item in torch_releases.releases():
        assert item.described.startswith(f"torch {item.torch} with torch_npu {item.version}")
        assert item.has("torch.npu.is_available") is True, item


def test_cann_that_fits() -> None:
    assert torch_releases.cann_fits(release("2.6.0"))[0] == "8.2.RC1"
    assert "8.0.RC3" in torch_releases.cann_fits(release("2.6.0"))
    assert torch_releases.cann_fits(release("2.14.0")) == ()


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("torch.amp.GradScaler", "2.3"),
        ("torch.amp.GradScaler.scale", "2.3"),
        ("torch.get_autocast_dtype", "2.4"),
        ("torch.accelerator", "2.6"),
        ("torch.accelerator.current_accelerator", "2.6"),
        ("torch.accelerator.Graph", "2.12"),
        ("torch.distributed.elastic.rendezvous.etcd_store", ""),
        ("torch.zeros", ""),
        ("torch.nobody_knows", ""),
    ],
)
def test_the_torch_that_brought_a_name(name: str, line: str) -> None:
    assert torch_npu_names.torch_since(name) == line
