"""Facts as data: every entry names its source, and the tables agree with each other."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import ascendify
from ascendify.catalog import (
    advice,
    cuda_packages,
    gpu_variables,
    hardware,
    replacements,
    support,
)
from ascendify.catalog._data import table
from ascendify.findings import Status

FRAMEWORKS = ("tensorflow", "torch")
TEXTS = [
    path.read_text(encoding="utf-8")
    for pattern in ("**/*.py", "catalog/data/*.json")
    for path in Path(ascendify.__file__).parent.glob(pattern)
]
SENTENCE = re.compile(r"[A-Z`].*[.]", re.S)


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("gpu-variables", "variables"),
        ("cuda-packages", "packages"),
        ("hardware", "hardware"),
    ],
)
def test_every_entry_names_a_source_and_every_source_is_named(name: str, rows: str) -> None:
    used = [key for row in table(name)[rows] for key in row["source"]]
    assert all(row["source"] for row in table(name)[rows])
    assert set(used) == set(table(name)["sources"])
    assert all(len(words) > 15 for words in table(name)["sources"].values())


@pytest.mark.parametrize("topic", replacements.topics())
def test_replacements_name_their_source_and_are_used(topic: str) -> None:
    assert replacements.source(topic)
    assert all(text and "{" not in text for text in replacements.texts(topic).values())
    assert any(f'("{topic}"' in text for text in TEXTS)


def test_a_replacement_is_found_for_members_of_a_module() -> None:
    found = replacements.find("cuda", "torch.cuda.comm.some_function")
    assert found == replacements.all_of("cuda")["torch.cuda.comm"]
    assert replacements.find("horovod", "no_such_name") is None


def test_every_advice_names_its_source_and_is_used() -> None:
    for item in advice.all_advice().values():
        assert item.source, item.name
        assert "{" not in advice.text(item.name)
        used = re.compile(rf"[\"'{{]{item.name}[\"'}}]")
        assert sum(len(used.findall(text)) for text in TEXTS) > 1, item.name


# --- variables -------------------------------------------------------------------------------


@pytest.mark.parametrize("variable", gpu_variables.all_variables(), ids=lambda item: item.name)
def test_a_variable_is_told_in_sentences(variable: gpu_variables.GpuVariable) -> None:
    for framework in ("", *FRAMEWORKS):
        words = variable.instead(framework)
        assert not words or SENTENCE.fullmatch(words)
    assert not variable.check or any(map(variable.instead, FRAMEWORKS))
    assert set(variable.advice) <= {advice.EVERY, *FRAMEWORKS}
    assert set(variable.counterparts) <= set(FRAMEWORKS)


def test_no_variable_hides_behind_a_broader_one() -> None:
    for variable in gpu_variables.all_variables():
        example = variable.name.replace("*", "X")
        assert gpu_variables.find(example) is variable, variable.name


@pytest.mark.parametrize(
    ("name", "framework", "kind"),
    [
        ("NCCL_DEBUG", "torch", gpu_variables.SETTING),
        ("NCCL_DEBUG_SUBSYS", "tensorflow", gpu_variables.SETTING),
        ("CUBLAS_WORKSPACE_CONFIG", "tensorflow", gpu_variables.SETTING),
        ("NVIDIA_VISIBLE_DEVICES", "torch", gpu_variables.SETTING),
        ("CUDA_VISIBLE_DEVICES", "torch", gpu_variables.DEVICES),
        ("CUDA_HOME", "tensorflow", gpu_variables.LOCATION),
        ("CUDNN_ROOT_DIR", "torch", gpu_variables.LOCATION),
        ("NCCL_VERSION", "torch", gpu_variables.BUILD),
        ("TF_XLA_FLAGS", "tensorflow", gpu_variables.SETTING),
        ("TF_XLA_FLAGS", "torch", None),
        ("TORCH_NCCL_BLOCKING_WAIT", "tensorflow", None),
        ("CUDA_DEVICES_OF_MINE", "torch", None),
        ("MY_NCCL_DEBUG", "torch", None),
        ("HCCL_CONNECT_TIMEOUT", "torch", None),
        ("CUDA", "tensorflow", None),
    ],
)
def test_which_variables_are_of_gpus(name: str, framework: str, kind: str | None) -> None:
    found = gpu_variables.find(name, framework)
    assert (None if found is None else found.kind) == kind


def test_what_is_renamed_is_not_removed() -> None:
    for name in gpu_variables.renamed("torch"):
        assert gpu_variables.find_unread(name, "torch") is None
    assert gpu_variables.find_unread("NCCL_SOCKET_IFNAME", "tensorflow") is not None


def test_devices_are_chosen_by_another_variable_in_each_framework() -> None:
    assert gpu_variables.visible_devices("torch") == "ASCEND_RT_VISIBLE_DEVICES"
    assert gpu_variables.visible_devices("tensorflow") == "ASCEND_DEVICE_ID"


# --- packages --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "package",
    cuda_packages.all_packages(),
    ids=lambda item: (item.imports or item.distributions)[0],
)
def test_a_package_is_told_in_sentences(package: cuda_packages.CudaPackage) -> None:
    assert package.imports or package.distributions
    assert package.status in (Status.BLOCKER, Status.MANUAL)
    assert re.match(r"[a-z]+s ", package.what)
    for framework in FRAMEWORKS:
        if package.concerns(framework):
            assert SENTENCE.fullmatch(package.instead(framework))
    assert all(name == name.lower() for name in package.distributions)
    assert not package.since or package.replacement


@pytest.mark.parametrize(
    ("requirement", "framework", "word"),
    [
        ("cupy-cuda118", "torch", "computes"),
        ("Flash_Attn", "torch", "attention"),
        ("flash-attn", "tensorflow", None),
        ("nvidia-cublas-cu12", "torch", "part of CUDA"),
        ("nvidia_ml_py3", "tensorflow", "driver"),
        ("transformer-engine", "torch", "float8"),
        ("nvidia-nvtx-cu12", "torch", "part of CUDA"),
        ("tensorflow-gpu", "tensorflow", None),
        ("numba", "torch", None),
        ("nvidia-like", "torch", None),
        ("mmcv", "torch", None),
    ],
)
def test_packages_in_requirement_files(requirement: str, framework: str, word: str | None) -> None:
    found = cuda_packages.by_distribution(requirement, framework)
    assert (found is None) if word is None else (found is not None and word in found.what)


def test_an_import_and_its_requirement_get_the_same_advice() -> None:
    for name, requirement in (("cupy", "cupy"), ("pynvml", "nvidia-ml-py"), ("triton", "triton")):
        package = cuda_packages.by_distribution(requirement, "torch")
        assert package is cuda_packages.by_import("torch")[name]


def test_packages_that_the_catalogue_calls_unsupported_are_in_the_table() -> None:
    known = cuda_packages.by_import("torch")
    own = ("torch.", "torch_npu", "apex.", "horovod.", "torchvision.", "onnxruntime.")
    for api in support.listed("unsupported", of="torch"):
        if not api.startswith(own):
            assert any(f"{api}.".startswith(f"{name}.") for name in known), api


# --- hardware --------------------------------------------------------------------------------


def test_families_from_the_oldest_on() -> None:
    assert list(hardware.families()) == ["910A", "910B", "A3", "950"]
    assert hardware.emulated() == ("910A", "910B", "A3")


@pytest.mark.parametrize("each", hardware.families().values(), ids=lambda item: item.name)
def test_a_family_is_consistent(each: hardware.Hardware) -> None:
    assert each.devices <= each.most
    assert set(each.multiplied) <= set(each.reduced)
    assert ("bfloat16" in each.reduced) == each.bfloat16 == ("bfloat16" in each.moved)
    assert hardware.of_chip(each.chip) is each
    assert not each.emulated or (each.memory and each.cache)
    assert not each.networks or set().union(*each.networks) == set(range(each.devices))


@pytest.mark.parametrize(
    ("chip", "family"),
    [("910B", "910A"), ("910B3", "910B"), ("Ascend910B2C", "910B"), ("Ascend910_9392", "A3"),
     ("910ProB", "910A"), ("Ascend950PR_9589", "950"), ("310P3", None)],
)  # fmt: skip
def test_families_by_the_names_npu_smi_shows(chip: str, family: str | None) -> None:
    found = hardware.of_chip(chip)
    assert (None if found is None else found.name) == family


def test_the_sentence_about_bfloat16_is_that_of_the_hardware() -> None:
    without = [name for name, each in hardware.families().items() if not each.bfloat16]
    assert without == ["910A"]
    assert "The Ascend 910A" in advice.text("bfloat16-hardware")
    for name in ("bfloat16-tensorflow", "bfloat16-torch"):
        assert "910A" in advice.text(name)


def test_the_sentence_about_reductions_is_that_of_the_hardware() -> None:
    named = re.findall(r"\b(?:u?int|float|bfloat)\d+\b", advice.text("reduced-types"))
    assert tuple(named) == hardware.families()["910B"].reduced
