"""What the environments of this repository are made of, and what is said before."""

from __future__ import annotations

import os
from pathlib import Path

import make_environments
import pytest
from make_environments import Environment, TorchBuild

LISTING = """torch (2.15.0)
Available versions: 2.15.0, 2.13.0+cpu, 2.13.0, 2.8.0
  INSTALLED: 2.13.0+cpu
"""


@pytest.mark.parametrize(
    ("listing", "versions"),
    [
        pytest.param(LISTING, ["2.15.0", "2.13.0+cpu", "2.13.0", "2.8.0"], id="several"),
        pytest.param("torch (2.8.0)\nAvailable versions: 2.8.0\n", ["2.8.0"], id="one"),
        pytest.param("ERROR: No matching distribution found for torch\n", [], id="none"),
        pytest.param("", [], id="a pip that has no such command"),
    ],
)
def test_reading_what_pip_lists(listing: str, versions: list[str]) -> None:
    assert make_environments.available(listing) == versions


@pytest.mark.parametrize(
    ("versions", "release", "chosen"),
    [
        pytest.param("2.14.0 2.13.0+cpu 2.13.0 2.8.0", "2.13.0", "2.13.0+cpu", id="CPU build"),
        pytest.param("2.14.0 2.13.0 2.8.0", "2.13.0", "2.13.0", id="plain build"),
        pytest.param("2.13.0+cu130 2.13.0", "2.13.0", "2.13.0", id="another build is not taken"),
        pytest.param("2.13.0+cu130", "2.13.0", "", id="another build is all there is"),
        pytest.param("2.13.0+cu130 2.13.0", "2.13.0+cu130", "2.13.0+cu130", id="a build by name"),
        pytest.param("2.13.0", "2.13.0+cpu", "", id="a build by name that is not there"),
        pytest.param("2.8.0 2.7.1 1.13.1", "2.13.0", "2.8.0", id="an older Python: the newest"),
        pytest.param("2.10.0 2.9.1", "2.13.0", "2.10.0", id="releases are numbers"),
        pytest.param("2.15.0 2.14.0", "2.13.0", "", id="a newer Python: nothing"),
        pytest.param("", "2.13.0", "", id="no index answers"),
    ],
)
def test_choosing_a_version_of_pytorch(versions: str, release: str, chosen: str) -> None:
    assert make_environments.choose_version(versions.split(), release) == chosen


@pytest.mark.parametrize(
    ("configured", "other", "found"),
    [
        pytest.param("2.13.0", "2.13.0+cpu 2.13.0", TorchBuild("2.13.0+cpu", "URL"), id="there"),
        pytest.param("2.13.0", "2.13.0", TorchBuild("2.13.0"), id="not there, or no answer"),
        pytest.param("2.13.0", "", TorchBuild("2.13.0"), id="no answer at all"),
        pytest.param("2.13.0+cpu", "", TorchBuild("2.13.0+cpu"), id="pip is set to a CPU build"),
        pytest.param("", "2.13.0+cpu", TorchBuild("2.13.0+cpu", "URL"), id="only there"),
        pytest.param("2.15.0", "2.15.0", TorchBuild(""), id="only newer ones"),
    ],
)
def test_where_a_cpu_build_is_looked_for(
    monkeypatch: pytest.MonkeyPatch, configured: str, other: str, found: TorchBuild
) -> None:
    listed = {
        index: (expected.split(), "" if expected else "no answer")
        for index, expected in (("", configured), ("URL", other))
    }
    monkeypatch.setattr(make_environments, "_listed", lambda python, index: listed[index])
    monkeypatch.setattr("sys.platform", "linux")
    assert make_environments.find_torch(Path("python"), "2.13.0", "URL") == found


@pytest.mark.parametrize(
    ("platform", "index"), [("darwin", "URL"), ("win32", "URL"), ("linux", "")]
)
def test_no_other_index_is_requested(
    monkeypatch: pytest.MonkeyPatch, platform: str, index: str
) -> None:
    """Where the usual build has no CUDA inside, and where TORCH_INDEX is empty."""
    listed = {"": (["2.13.0"], "")}
    monkeypatch.setattr(make_environments, "_listed", lambda python, index: listed[index])
    monkeypatch.setattr("sys.platform", platform)
    assert make_environments.find_torch(Path("python"), "2.13.0", index) == TorchBuild("2.13.0")


def test_an_index_is_given_to_pip_only_with_its_build() -> None:
    assert TorchBuild("2.13.0").requirements == ("torch==2.13.0",)
    assert TorchBuild("2.13.0+cpu", "URL").requirements == (
        *("torch==2.13.0+cpu", "--extra-index-url", "URL"),
    )
    assert TorchBuild("").requirements == ()


@pytest.mark.parametrize(
    ("variables", "roots"),
    [
        pytest.param({}, [], id="nothing"),
        pytest.param({"HOME": "/h", "PATH": "/bin"}, ["/h/.pyenv"], id="the usual folder"),
        pytest.param({"PYENV_ROOT": "/p", "HOME": "/h"}, ["/p", "/h/.pyenv"], id="by variable"),
        pytest.param(
            {"PATH": os.pathsep.join(["/bin", "/q/shims"]), "HOME": "/h"},
            ["/q", "/h/.pyenv"],
            id="by the PATH, in another home folder",
        ),
        pytest.param({"PATH": "/h/.pyenv/shims", "HOME": "/h"}, ["/h/.pyenv"], id="once"),
    ],
)
def test_folders_of_pyenv(variables: dict[str, str], roots: list[str]) -> None:
    assert make_environments.pyenv_roots(variables) == [Path(root) for root in roots]


def script(path: Path, prints: str, code: int = 0) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\necho {prints}\nexit {code}\n")
    path.chmod(0o755)
    return str(path)


def project(root: Path) -> Path:
    """A folder with what an environment is made from."""
    (root / "src" / "ascendify").mkdir(parents=True)
    (root / "src" / "ascendify" / "__init__.py").write_text("")
    (root / "pyproject.toml").write_text("one")
    return root


def test_an_interpreter_is_taken_that_starts_and_has_the_version(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}/bin{os.pathsep}/usr/bin")
    variables = {"PYENV_ROOT": str(tmp_path)}
    script(tmp_path / "bin" / "python9.7", "no such version", 127)  # as a shim of pyenv
    script(tmp_path / "bin" / "python9.8", "9 9")
    versions = tmp_path / "versions"
    assert make_environments.find_python([(9, 7), (9, 8)], variables) is None
    found = script(versions / "9.8.1" / "bin" / "python", "9 8")
    assert make_environments.find_python([(9, 7), (9, 8)], variables) == found
    first = script(versions / "9.7.2" / "bin" / "python", "9 7")
    assert make_environments.find_python([(9, 7), (9, 8)], variables) == first


@pytest.mark.parametrize(
    ("answer", "code", "expected"),
    [
        pytest.param('ERROR: unknown command "index"', 1, "unknown command index", id="old pip"),
        pytest.param("ERROR: No matching distribution", 1, "No matching", id="nothing fits"),
        pytest.param("", 2, "it ended with status 2", id="not a word"),
    ],
)
@pytest.mark.parametrize("index", ["", "URL"])
def test_a_pip_that_fails_is_reported(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    answer: str,
    code: int,
    expected: str,
    index: str,
) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    python = Path(script(tmp_path / "python", answer, code))
    with pytest.raises(make_environments.RefusedError, match=expected):
        make_environments.find_torch(python, "2.13.0", index)


@pytest.mark.parametrize(("torch", "again"), [("", True), ("2.13.0+cpu", False)])
def test_pytorch_that_is_not_found_is_looked_for_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, torch: str, again: bool
) -> None:
    monkeypatch.setattr(make_environments, "ROOT", project(tmp_path))
    python = script(tmp_path / ".venv" / "bin" / "python", "3 11")
    requested: list[Path] = []

    def found(python: Path, release: str, index: str) -> TorchBuild:
        requested.append(python)
        return TorchBuild(torch)

    monkeypatch.setattr(make_environments, "find_torch", found)
    for _ in range(2):
        make_environments.prepare("test", python, {"TENSORFLOW": "no"})
    assert len(requested) == 1 + again
    assert environment("check").is_made


def test_an_interpreter_without_venv_is_refused(tmp_path: Path) -> None:
    with pytest.raises(make_environments.RefusedError, match="apt install python3-venv"):
        make_environments.prepare("demo", script(tmp_path / "python", "", 1), {})


def environment(level: str, torch: str = "", **variables: str) -> Environment:
    return make_environments.of_the_package(level, "python3", variables, TorchBuild(torch))


def test_the_table_names_sizes_and_their_sum(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    rows = [environment("test", "2.13.0"), environment("demo")]
    lines = make_environments.table(rows)
    assert [line.split()[0] for line in lines] == ["environment", ".venv", ".venv", "together"]
    assert "torch 2.13.0 (CUDA inside)" in lines[1]
    assert make_environments.size(rows[0].download_mb + rows[1].download_mb) in lines[3]
    assert len({line.index(word) for line, word in zip(lines, ("for", "linters"))}) == 1


@pytest.mark.parametrize(
    ("torch", "index", "expected"),
    [
        pytest.param("2.13.0", "URL", ["TORCH=no", "no CPU build", "URL"], id="CUDA"),
        pytest.param("2.13.0", "", ["TORCH=no", "TORCH_INDEX is empty"], id="no index"),
        pytest.param("2.13.0+cpu", "URL", ["TORCH=no"], id="CPU"),
        pytest.param("", "URL", [], id="no PyTorch"),
    ],
)
def test_advice_is_about_what_is_downloaded(
    monkeypatch: pytest.MonkeyPatch, torch: str, index: str, expected: list[str]
) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    made = [environment("test", torch)]
    text = "\n".join(make_environments.advice(made, TorchBuild(torch), index))
    assert [word for word in expected if word not in text] == []
    assert bool(text) == bool(expected)
    assert ("no CPU build" in text) == (torch == "2.13.0")


def test_a_level_is_stale_when_what_it_is_made_of_is_another(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(make_environments, "ROOT", project(tmp_path))
    (tmp_path / ".venv").mkdir()
    made = environment("test")
    assert not made.is_made
    for name, text in made.stamps:
        (tmp_path / ".venv" / name).write_text(text)
    assert all(environment(level).is_made for level in make_environments.LEVELS)
    assert not environment("test", TORCH_RELEASE="2.12.0").is_made
    assert environment("check", TORCH_RELEASE="2.12.0").is_made  # it has no PyTorch
    (tmp_path / "pyproject.toml").write_text("another")
    assert not any(environment(level).is_made for level in make_environments.LEVELS)
