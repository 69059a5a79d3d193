"""The doctor on torch, torch_npu, Python and CANN: every pair that is published."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ascendify.catalog import torch_releases
from ascendify.catalog.torch_releases import Release
from ascendify.cluster.doctor import Observation, ObservationState, examine
from support.made_machine import Made

OK, WARNING, PROBLEM, NOT_SEEN = tuple(ObservationState)
FITS = "what fits together"
FINAL = [item for item in torch_releases.releases() if "rc" not in item.version]
PUBLISHED = [item for item in FINAL if item.cann and item.pythons]


@pytest.fixture
def made(tmp_path: Path) -> Made:
    return Made(tmp_path)


def fits(made: Made, *states: ObservationState) -> list[Observation]:
    seen = examine(made.machine).observations
    return [each for each in seen if each.subject == FITS and each.state in states]


def versions(item: Release) -> str:
    return item.version


@pytest.mark.parametrize("release", PUBLISHED, ids=versions)
def test_every_published_set_fits(made: Made, release: Release) -> None:
    made.cann(release.cann).ready()
    made.python(f"{release.pythons[0]}.5", torch=release.torch, torch_npu=release.version)
    assert fits(made, PROBLEM) == []
    assert [each for each in fits(made, WARNING, NOT_SEEN) if "driver" not in each.text] == []


@pytest.mark.parametrize("release", PUBLISHED, ids=versions)
def test_a_python_without_a_wheel_does_not(made: Made, release: Release) -> None:
    made.cann(release.cann).ready()
    made.python("3.6.9", torch=release.torch, torch_npu=release.version)
    assert [each.text for each in fits(made, PROBLEM)] == [
        f"torch {release.torch} with Python 3.6: {release} is published for "
        f"{' or '.join(release.pythons)}"
    ]


ADVICE = {
    "another CANN": (
        "8.5.0",
        {"torch": "2.7.1", "torch_npu": "2.7.1.post4"},
        WARNING,
        "torch_npu 2.7.1.post4 with CANN 8.5.0: it is published with CANN 9.0.0",
        "install that CANN, or pip install torch-npu==2.7.1.post2",
    ),
    "no torch_npu for torch and CANN": (
        "8.5.0",
        {"torch": "2.4.0", "torch_npu": "2.4.0.post4"},
        WARNING,
        "torch_npu 2.4.0.post4 with CANN 8.5.0: it is published with CANN 8.1.RC1",
        "those for this CANN are 2.6.0.post5, 2.7.1.post2, 2.8.0.post2, 2.9.0",
    ),
    "no torch_npu": (
        "9.0.0",
        {"torch": "2.9.0"},
        PROBLEM,
        "torch 2.9.0 without torch_npu, although CANN is installed",
        "pip install torch-npu==2.9.0.post2",
    ),
    "a patch without a torch_npu": (
        "8.3.RC1",
        {"torch": "2.1.2"},
        PROBLEM,
        "torch 2.1.2 without torch_npu, although CANN is installed",
        "pip install torch==2.1.0 torch-npu==2.1.0.post17",
    ),
    "a torch that is too new": (
        "9.1.0",
        {"torch": "2.15.0"},
        PROBLEM,
        "torch 2.15.0 without torch_npu, although CANN is installed",
        "pip install torch==2.14.0 torch-npu==2.14.0",
    ),
    "another torch": (
        "8.5.0",
        {"torch": "2.8.0", "torch_npu": "2.7.1.post2"},
        PROBLEM,
        "torch 2.8.0 with torch_npu 2.7.1.post2: the first numbers must be the same",
        "pip install torch==2.7.1, or pip install torch-npu==2.8.0.post2",
    ),
    "a stack without a published CANN": (
        "9.1.0",
        {"torch": "2.14.0", "torch_npu": "2.14.0"},
        NOT_SEEN,
        "torch_npu 2.14.0 with CANN 9.1.0: it belongs to stack 26.2.0, and no table here names its "
        "CANN",
        "",
    ),
}


@pytest.mark.parametrize(
    ("cann", "packages", "state", "text", "advice"), ADVICE.values(), ids=ADVICE
)
def test_advice(
    made: Made, cann: str, packages: dict[str, str], state: ObservationState, text: str, advice: str
) -> None:
    made.cann(cann).ready().python("3.10.12", **packages)
    found = [each for each in fits(made, state) if each.text == text]
    assert len(found) == 1, fits(made, *ObservationState)
    assert advice in found[0].advice


def test_another_stack_may_have_a_wheel_for_the_python(made: Made) -> None:
    made.cann("8.3.RC1").ready().python("3.12.1", torch="2.7.1", torch_npu="2.7.1")
    [found] = fits(made, PROBLEM)
    assert found.text.startswith("torch 2.7.1 with Python 3.12: torch_npu 2.7.1 is published for")
    assert "or pip install torch-npu==2.7.1.post11" in found.advice


def test_a_python_that_one_architecture_lacks(made: Made) -> None:
    made.cann("9.1").ready().python("3.12.1", torch="2.10.0", torch_npu="2.10.0.post6")
    answer = made.root / "answers/python"
    known = json.loads(answer.read_text().removeprefix("ANSWER"))
    for machine, problems in (("aarch64", 0), ("x86_64", 1)):
        made.file("/answers/python", "ANSWER" + json.dumps({**known, "machine": machine}))
        assert len(fits(made, PROBLEM)) == problems, machine


AUTOLOAD = {
    "a release that loads itself": ("2.7.1", "2.7.1.post2", "0", True),
    "switched on": ("2.7.1", "2.7.1.post2", "1", False),
    "a release that does not": ("2.4.0", "2.4.0.post4", "0", False),
    "no torch_npu": ("2.7.1", "", "0", False),
}


@pytest.mark.parametrize(("torch", "adapter", "value", "reported"), AUTOLOAD.values(), ids=AUTOLOAD)
def test_autoload_that_was_left_off(
    made: Made, torch: str, adapter: str, value: str, reported: bool
) -> None:
    packages = {"torch": torch, **({"torch_npu": adapter} if adapter else {})}
    made.ready().python(**packages).environment["TORCH_DEVICE_BACKEND_AUTOLOAD"] = value
    found = [each for each in fits(made, WARNING) if "AUTOLOAD" in each.text]
    assert bool(found) is reported


BUILDS = {
    "refused by pip": ("2.7.1", "2.7.1.post2", "12.6", "raises at import", "does not refuse"),
    "no longer refused": ("2.13.0", "2.13.0", "13.0", "from torch_npu 2.12 on pip does not", ""),
    "before it was looked at": ("2.4.0", "2.4.0.post4", "12.1", "--index-url", "raises at import"),
}


@pytest.mark.parametrize(
    ("torch", "adapter", "cuda", "advice", "absent"), BUILDS.values(), ids=BUILDS
)
def test_build_for_cuda_without_a_suffix(
    made: Made, torch: str, adapter: str, cuda: str, advice: str, absent: str
) -> None:
    """The package index has builds for CUDA under the plain version."""
    made.ready().python(torch=torch, torch_npu=adapter)
    known = json.loads((made.root / "answers/python").read_text().removeprefix("ANSWER"))
    made.file("/answers/python", "ANSWER" + json.dumps({**known, "cuda": cuda}))
    seen = examine(made.machine).observations
    [found] = [each for each in seen if "is a build for CUDA" in each.text]
    assert advice in found.advice
    assert not absent or absent not in found.advice


def test_torch_tells_its_build_without_being_imported(made: Made, tmp_path: Path) -> None:
    folder = tmp_path / "site" / "torch"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("raise SystemExit('imported')")
    (folder / "version.py").write_text(
        "from typing import Optional\ncuda: Optional[str] = '13.0'\n"
    )
    for name in ("torch-2.13.0.dist-info", "torch_npu-2.13.0.dist-info"):
        (tmp_path / "site" / name).mkdir()
    made.real_python().environment["PYTHONPATH"] = str(tmp_path / "site")
    texts = [each.text for each in examine(made.machine).observations]
    assert "torch 2.13.0 is a build for CUDA" in texts
    (folder / "version.py").write_text("from typing import Optional\ncuda: Optional[str] = None\n")
    texts = [each.text for each in examine(made.machine).observations]
    assert "torch 2.13.0 is a build for CUDA" not in texts
