"""Which release of torch_npu a project is migrated for: requested, pinned, or the newest."""

from __future__ import annotations

from pathlib import Path

import pytest

from ascendify.errors import UsageError
from ascendify.migrate import check
from ascendify.migrate.discovery import files
from ascendify.migrate.settings import load
from ascendify.migrate.survey import survey
from ascendify.reports.json_ import to_dict
from ascendify.rules.site import Facts

MODULE = "import torch\n\n\ndef make():\n    return torch.zeros(1)\n"
NEWEST = "2.14.0"


def facts(root: Path, contents: dict[str, str], requested: str | None = None) -> Facts:
    """What is known of a project with these files."""
    for name, content in {"train.py": MODULE, **contents}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content, encoding="utf-8")
    settings = load(root, torch_npu=requested)
    return survey(settings, files(settings)).facts


PINS = {
    "nothing": ("requirements.txt", "numpy\n", NEWEST),
    "any": ("requirements.txt", "torch\n", NEWEST),
    "from": ("requirements.txt", "torch>=1.8\n", NEWEST),
    "all but": ("requirements.txt", "torch!=2.4.0\n", NEWEST),
    "one": ("requirements.txt", "numpy==1.2\ntorch==2.1.0+cu118\n", "2.1.0.post17"),
    "a patch without one": ("requirements.txt", "torch==2.3.0\n", "2.3.1.post6"),
    "a line": ("requirements.txt", "torch==2.4.*\n", "2.4.0.post4"),
    "compatible": ("requirements.txt", "torch~=2.6.0\n", "2.6.0.post5"),
    "compatible with a line": ("requirements.txt", "torch~=2.6\n", NEWEST),
    "a range": ("requirements.txt", "torch>=2.1,<2.3\n", "2.1.0.post17"),
    "an upper end": ("requirements.txt", "torch<=2.5.1\n", "2.5.1.post1"),
    "old": ("requirements.txt", "torch==1.11.0\n", "1.11.0.post14"),
    "one without a torch_npu": ("requirements.txt", "torch==1.6.0\n", "2.1.0.post17"),
    "newer than all": ("requirements.txt", "torch==2.15.0\n", NEWEST),
    "torch-npu": ("requirements.txt", "torch==2.7.1\ntorch-npu==2.7.1.post2\n", "2.7.1.post2"),
    "torch_npu": ("requirements.txt", "torch_npu==2.7.1\n", "2.7.1"),
    "a torch-npu nobody knows": ("requirements.txt", "torch-npu==2.7.1.post99\n", "2.7.1.post11"),
    "torch-npu without a newer stack": ("requirements.txt", "torch-npu<=2.7.1\n", "2.7.1"),
    "torch-npu before a stack": ("requirements.txt", "torch-npu<2.7.1.post4\n", "2.7.1.post2"),
    "torch-npu from a line to a stack": ("requirements.txt", "torch-npu>=2.7,<2.7.1.post4\n",
                                         "2.7.1.post2"),
    "torch-npu after a stack": ("requirements.txt", "torch-npu>2.7.1.post2,<2.8\n",
                                "2.7.1.post11"),
    "torch-npu of a line": ("requirements.txt", "torch-npu==2.7.1.*\n", "2.7.1.post11"),
    "torch-npu compatible": ("requirements.txt", "torch-npu~=2.7.1.post2\n", "2.7.1.post11"),
    "a range without a torch_npu": ("requirements.txt", "torch>=2.2.1,<2.3\n", "2.2.0.post2"),
    "conda": ("environment.yml", "dependencies:\n  - pytorch=2.2\n", "2.2.0.post2"),
    "conda with a build": ("environment.yml", "dependencies:\n  - pytorch=2.3.1=py3.10_cuda12.1\n",
                           "2.3.1.post6"),
    "pyproject": ("pyproject.toml", '[project]\ndependencies = ["torch>=2.0,<2.5"]\n',
                  "2.4.0.post4"),
    "poetry": ("pyproject.toml", '[tool.poetry.dependencies]\ntorch = "2.5.1"\n', "2.5.1.post1"),
    "poetry's compatible": ("pyproject.toml", '[tool.poetry.dependencies]\ntorch = "^2.1"\n',
                            NEWEST),
    "poetry's compatible, with an end": (
        "pyproject.toml", '[tool.poetry.dependencies]\ntorch = "^2.1,<2.6"\n', "2.5.1.post1"),
    "poetry's compatible before 1.0": (
        "pyproject.toml", '[tool.poetry.dependencies]\ntorch = "^0.4.1"\n', "2.1.0.post17"),
    "poetry's patches of a line": (
        "pyproject.toml", '[tool.poetry.dependencies]\ntorch = "~2.1.0"\n', "2.1.0.post17"),
    "poetry's patches without one": (
        "pyproject.toml", '[tool.poetry.dependencies]\ntorch = "~2.2.1"\n', "2.2.0.post2"),
    "poetry's line": (
        "pyproject.toml", '[tool.poetry.dependencies]\ntorch = {version = "~2.4"}\n',
        "2.4.0.post4"),
    "poetry's lines": (
        "pyproject.toml", '[tool.poetry.dependencies]\ntorch = "~2"\n', NEWEST),
    "poetry's alternatives": (
        "pyproject.toml", '[tool.poetry.dependencies]\ntorch = "~2.4.0 || ^1.13"\n',
        "2.4.0.post4"),
    "setup.py": ("setup.py", "import torch\nsetup(install_requires=['torch==2.1.0', 'tqdm'])\n",
                 "2.1.0.post17"),
    "setup.cfg": ("setup.cfg", "[options]\ninstall_requires =\n    torch==2.6.0\n    tqdm\n",
                  "2.6.0.post5"),
    "a command": ("install.sh", "pip install torch==2.4.0\n", "2.4.0.post4"),
    "an image": ("Dockerfile", "FROM pytorch/pytorch:2.3.1-cuda12.1-cudnn8-runtime\n",
                 "2.3.1.post6"),
    "an image for a platform": (
        "Dockerfile", "FROM --platform=linux/amd64 pytorch/pytorch:2.1.0-cuda12.1-cudnn8-devel\n",
        "2.1.0.post17"),
    "an image by an argument": (
        "Dockerfile", 'ARG PYTORCH="2.4.0"\nARG CUDA=12.1\n'
        "FROM pytorch/pytorch:${PYTORCH}-cuda${CUDA}-cudnn8-devel\n", "2.4.0.post4"),
    "an image by an argument without a value": (
        "Dockerfile", "ARG PYTORCH\nFROM pytorch/pytorch:$PYTORCH-devel\n", NEWEST),
    "an image named by a date": ("Dockerfile", "FROM nvcr.io/nvidia/pytorch:22.11-py3\n", NEWEST),
    "another package of the name": ("requirements.txt", "torchmetrics==1.2.0\n", NEWEST),
}  # fmt: skip


@pytest.mark.parametrize(("name", "text", "version"), PINS.values(), ids=PINS)
def test_files_ask_for_a_release(tmp_path: Path, name: str, text: str, version: str) -> None:
    assert facts(tmp_path, {name: text}).torch_npu == version


SEVERAL = {
    "the lowest counts": (
        {"requirements.txt": "torch==2.6.0\n", "environment.yml": "dependencies:\n- pytorch=2.4\n"},
        "2.4.0.post4",
    ),
    "files at the top count": (
        {"requirements.txt": "torch==2.6.0\n", "tools/requirements.txt": "torch==2.1.0\n"},
        "2.6.0.post5",
    ),
    "one at the top that allows any newer": (
        {"requirements.txt": "torch>=2.5\n", "tools/requirements.txt": "torch==2.1.0\n"},
        NEWEST,
    ),
    "a folder where the top has none": (
        {"requirements.txt": "tqdm\n", "requirements/gpu.txt": "torch==2.1.0\n"},
        "2.1.0.post17",
    ),
    "torch-npu counts before torch": (
        {"requirements.txt": "torch==2.1.0\n", "requirements-npu.txt": "torch-npu==2.7.1.post4\n"},
        "2.7.1.post4",
    ),
    "the lowest torch-npu counts": (
        {
            "requirements.txt": "torch-npu==2.7.1.post4\n",
            "requirements-npu.txt": "torch-npu==2.7.1.post10\n",
        },
        "2.7.1.post4",
    ),
    "lists count before commands": (
        {"requirements.txt": "torch==2.6.0\n", "Dockerfile": "RUN pip install torch==2.1.0\n"},
        "2.6.0.post5",
    ),
}


@pytest.mark.parametrize(("contents", "version"), SEVERAL.values(), ids=SEVERAL)
def test_of_several_pins_one_counts(tmp_path: Path, contents: dict[str, str], version: str) -> None:
    assert facts(tmp_path, contents).torch_npu == version


REASONS = {
    "pinned": (
        "torch==2.9.0\n",
        None,
        "torch 2.9.0 with torch_npu 2.9.0.post9 (stack 26.2.0): requirements.txt requires "
        "torch==2.9.0",
    ),
    "nearest": (
        "torch==2.1.2\n",
        None,
        "torch 2.1.0 with torch_npu 2.1.0.post17 (stack 7.2.0, CANN 8.3.RC1): requirements.txt "
        "requires torch==2.1.2, and torch 2.1.0 is the nearest that torch_npu is built for",
    ),
    "older than all that we recommend": (
        "torch==1.3.1\n",
        None,
        "torch 2.1.0 with torch_npu 2.1.0.post17 (stack 7.2.0, CANN 8.3.RC1): requirements.txt "
        "requires torch==1.3.1, and torch 2.1.0 is the oldest that we recommend for an NPU",
    ),
    "newer than all": (
        "torch==2.15.0\n",
        None,
        "torch 2.14.0 with torch_npu 2.14.0 (stack 26.2.0): requirements.txt requires "
        "torch==2.15.0, and torch 2.14.0 is the newest that torch_npu is built for",
    ),
    "nearest to a range": (
        "torch>=2.2.1,<2.3\n",
        None,
        "torch 2.2.0 with torch_npu 2.2.0.post2 (stack 6.0.rc2, CANN 8.0.RC2): requirements.txt "
        "requires torch>=2.2.1,<2.3, and torch 2.2.0 is the nearest that torch_npu is built for",
    ),
    "nearest torch-npu": (
        "torch-npu==2.7.1.post99\n",
        None,
        "torch 2.7.1 with torch_npu 2.7.1.post11 (stack 26.2.0): requirements.txt requires "
        "torch-npu==2.7.1.post99, and torch_npu 2.7.1.post11 is the nearest one",
    ),
    "requested": (
        "torch==2.1.2\n",
        "2.7.1.post2",
        "torch 2.7.1 with torch_npu 2.7.1.post2 (stack 7.3.0, CANN 8.5.0): --torch-npu names it",
    ),
    "newest": (
        "torch\n",
        None,
        "torch 2.14.0 with torch_npu 2.14.0 (stack 26.2.0): nothing in the project requires an "
        "older PyTorch",
    ),
}


@pytest.mark.parametrize(("text", "requested", "expected"), REASONS.values(), ids=REASONS)
def test_report_says_which_and_why(
    tmp_path: Path, text: str, requested: str | None, expected: str
) -> None:
    found = facts(tmp_path, {"requirements.txt": text}, requested)
    assert found.target == expected
    report = check(load(tmp_path, torch_npu=requested))
    assert to_dict(report)["target"] == expected


FOLDERS = {
    "each its own": (
        {"old/requirements.txt": "torch<2.6\n", "new/requirements.txt": "torch>=2.7\n"},
        {"train.py": NEWEST, "old/train.py": "2.5.1.post1", "new/sub/train.py": NEWEST},
    ),
    "one that any release suits": (
        {"old/requirements.txt": "torch<2.6\n", "any/requirements.txt": "torch\n"},
        {"train.py": NEWEST, "old/train.py": "2.5.1.post1", "any/train.py": NEWEST},
    ),
    "one inside another": (
        {
            "a/requirements.txt": "torch==2.4.0\n",
            "a/b/requirements.txt": "torch==2.7.1\n",
            "c/requirements.txt": "torch\n",
        },
        {"a/train.py": "2.4.0.post4", "a/b/train.py": "2.7.1.post11", "c/train.py": NEWEST},
    ),
    "a folder with nothing but lists is for all": (
        {
            "lists/requirements.txt": "torch==2.4.0\n",
            "a/requirements.txt": "torch\n",
            "b/requirements.txt": "torch==2.7.1\n",
        },
        {"train.py": "2.4.0.post4", "a/train.py": NEWEST, "b/train.py": "2.7.1.post11"},
    ),
    "one list is for all": (
        {"src/requirements.txt": "torch==2.4.0\n"},
        {"train.py": "2.4.0.post4", "src/train.py": "2.4.0.post4"},
    ),
    "a list at the root is for all": (
        {
            "requirements.txt": "torch\n",
            "a/requirements.txt": "torch==2.4.0\n",
            "b/requirements.txt": "torch==2.7.1\n",
        },
        {"train.py": NEWEST, "a/train.py": NEWEST, "b/train.py": NEWEST},
    ),
}


@pytest.mark.parametrize(("lists", "expected"), FOLDERS.values(), ids=FOLDERS)
def test_folders_that_are_projects_of_their_own(
    tmp_path: Path, lists: dict[str, str], expected: dict[str, str]
) -> None:
    found = facts(tmp_path, {**lists, **dict.fromkeys(expected, MODULE)})
    assert {path: found.of(path).torch_npu for path in expected} == expected


def test_the_report_names_folders_that_need_another_release(tmp_path: Path) -> None:
    lists = {"old/requirements.txt": "torch<2.6\n", "new/requirements.txt": "torch>=2.7\n"}
    modules = {"old/train.py": MODULE, "new/train.py": MODULE}
    assert facts(tmp_path, {**lists, **modules}).target == (
        "torch 2.14.0 with torch_npu 2.14.0 (stack 26.2.0): each folder says what it requires "
        "itself; old: torch 2.5.1 with torch_npu 2.5.1.post1 (stack 7.1.0, CANN 8.2.RC1): "
        "old/requirements.txt requires torch<2.6"
    )


def test_only_the_folder_with_an_older_torch_lacks_newer_names(tmp_path: Path) -> None:
    contents = {
        "old/requirements.txt": "torch<2.6\n",
        "old/train.py": "import torch\ntorch.accelerator.current_accelerator()\n",
        "new/requirements.txt": "torch>=2.7\n",
        "new/train.py": "import torch\ntorch.accelerator.current_accelerator()\n",
    }
    facts(tmp_path, contents)
    report = check(load(tmp_path))
    assert [item.path for item in report.findings if item.code == "TORCH-REL-2"] == ["old/train.py"]


@pytest.mark.parametrize(
    ("pin", "age"),
    [("torch>=2.6", "older"), ("torch==1.13.1", "newer"), ("torch==2.1.2", ""), ("torch", "")],
)
def test_a_project_that_requires_another_torch_is_reported(
    tmp_path: Path, pin: str, age: str
) -> None:
    (tmp_path / "requirements.txt").write_text(f"{pin}\n", encoding="utf-8")
    (tmp_path / "train.py").write_text(MODULE, encoding="utf-8")
    report = check(load(tmp_path, torch_npu="2.1"))
    [todo] = [item.todo for item in report.findings if item.code == "TORCH-REQ-1"]
    words = f"The project requires {pin}, and torch 2.1.0 of the chosen torch_npu is {age}"
    assert todo.startswith(words) is bool(age)


def test_a_project_without_torch_has_no_torch_npu(tmp_path: Path) -> None:
    found = facts(tmp_path, {"train.py": "import tensorflow as tf\ntf.Session()\n"})
    assert found.target == "TensorFlow 1: train.py uses tf.Session, which only TensorFlow 1 has"
    assert found.torch_npu == ""
    assert facts(tmp_path / "empty", {"train.py": "import numpy\n"}).target == ""


def test_the_file_of_settings_names_a_release(tmp_path: Path) -> None:
    table = '[tool.ascendify]\ntorch-npu = "2.6"\n'
    found = facts(tmp_path, {"pyproject.toml": table, "requirements.txt": "torch==2.1.0\n"})
    assert (found.torch_npu, found.torch_npu_requested) == ("2.6.0.post5", True)
    assert found.target.endswith("pyproject.toml names it")


WRONG = {
    "a patch": ("2.7.2", "--torch-npu is '2.7.2'", "for torch 2.7 there are 2.7.1, 2.7.1.post2"),
    "a word": ("latest", "no such release", "the newest of each line are"),
    "a line to come": ("2.15", "no such", "there is none for 2.15 yet; the newest is 2.14.0"),
    "a patch to come": ("2.15.1", "no such", "there is none for 2.15 yet; the newest is 2.14.0"),
    "near another": ("12.7.1.post2", "no such release", "did you mean 2.7.1.post2?"),
}


@pytest.mark.parametrize(("requested", "message", "hint"), WRONG.values(), ids=WRONG)
def test_a_release_that_does_not_exist(
    tmp_path: Path, requested: str, message: str, hint: str
) -> None:
    with pytest.raises(UsageError) as raised:
        facts(tmp_path, {}, requested)
    assert message in raised.value.message
    assert hint in raised.value.hint


def test_a_wrong_release_in_the_file_of_settings_says_where(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"pyproject\.toml: tool\.ascendify\.torch-npu is '9'"):
        facts(tmp_path, {"pyproject.toml": '[tool.ascendify]\ntorch-npu = "9"\n'})
    with pytest.raises(UsageError, match=r"torch-npu is 2\.7") as raised:
        facts(tmp_path, {"pyproject.toml": "[tool.ascendify]\ntorch-npu = 2.7\n"})
    assert "as text" in raised.value.hint


def test_requirements_of_a_setup_that_imports_no_framework_are_changed(tmp_path: Path) -> None:
    setup = 'from setuptools import setup\nsetup(name="x", install_requires=["torch==2.5.1"])\n'
    facts(tmp_path, {"setup.py": setup})
    found = [(item.path, item.code) for item in check(load(tmp_path)).findings]
    assert ("setup.py", "TORCH-REQ-2") in found


def test_a_framework_need_not_be_the_first_of_an_import(tmp_path: Path) -> None:
    for number, line in enumerate(
        ("import os, torch", "import os as o, sys,torch.nn as nn", "import os; import torch")
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "main.py").write_text(f"{line}\nx = torch.zeros(1).cuda()\n", encoding="utf-8")
        assert survey(load(folder), files(load(folder))).facts.frameworks == {"torch"}, line
