"""The release of torch_npu that the stand-in is: chosen by PyTorch or by name, and its names."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import types
from pathlib import Path
from typing import Any

import pytest

from ascendify.catalog import torch_releases, versions
from support.torch_cases import environment

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "src/ascendify/emulation/packages/torch_npu/_release/__init__.py"


@pytest.fixture
def release(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The package alone, as the stand-in's interpreter would load it."""
    monkeypatch.delenv("ASCENDIFY_TORCH_NPU", raising=False)
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path])
    spec = importlib.util.spec_from_file_location("_release", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


CHOSEN = {
    "the newest stack for a PyTorch": ("2.7.1", "2.7.1.post11"),
    "a build of it": ("2.9.0+cu128", "2.9.0.post9"),
    "a patch of its own": ("2.9.1", "2.9.1"),
    "a patch without one": ("2.1.2+cpu", "2.1.0.post17"),
    "a line of few stacks": ("2.2.1", "2.2.0.post2"),
    "the newest there is": ("2.14.0", "2.14.0"),
    "newer than all": ("2.15.0", "2.14.0"),
    "a nightly build": ("2.16.0.dev20261101+cpu", "2.14.0"),
    "older than all": ("2.0.1", "2.1.0.post17"),
}


@pytest.mark.parametrize(("torch", "version"), CHOSEN.values(), ids=CHOSEN)
def test_release_is_chosen_by_torch(release: Any, torch: str, version: str) -> None:
    found = release.choose(torch)
    assert found.version == version
    assert release.chosen() is found


def test_catalogue_and_stand_in_choose_alike(release: Any) -> None:
    for line in torch_releases.lines():
        expected = torch_releases.for_torch(line)
        assert expected is not None
        if versions.numbers(line) >= (2, 1):
            assert release.choose(expected.torch).version == expected.version


def test_variable_names_the_release(release: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASCENDIFY_TORCH_NPU", "2.7.1.post2")
    assert release.choose("2.7.1").stack == "7.3.0"
    assert release.choose("2.7.1", "2.7.1").stack == "7.2.0"


REFUSED = {
    "no such release": ("2.7.1", "2.7.1.post3", "there is no such release of torch_npu"),
    "of another line": ("2.7.1", "2.6.0", "made for torch 2.6.0, and torch 2.7.1 is installed"),
}


@pytest.mark.parametrize(("torch", "wanted", "names"), REFUSED.values(), ids=REFUSED)
def test_wrong_name_is_refused(release: Any, torch: str, wanted: str, names: str) -> None:
    with pytest.raises(release.UnknownReleaseError, match=names) as raised:
        release.choose(torch, wanted)
    assert "2.7.1.post2" in str(raised.value)


def test_nothing_is_chosen_before_it_is(release: Any) -> None:
    with pytest.raises(RuntimeError, match="no release has been chosen"):
        release.chosen()


def made(name: str, **values: object) -> types.ModuleType:
    module = types.ModuleType(name)
    module.__dict__.update(values)
    return module


def test_trim_refuses_what_came_later(release: Any) -> None:
    release.choose("2.7.1", "2.7.1.post2")
    mstx = made("torch_npu.npu.mstx", range_push=1, mark=2, _range_push=3)
    mstx.__dict__["__all__"] = ["mark", "range_push"]
    release.trim({"torch_npu.npu.mstx": mstx})
    assert (mstx.mark, mstx._range_push) == (2, 3)
    assert not hasattr(mstx, "range_push")
    assert "range_push" not in dir(mstx)
    assert mstx.__all__ == ["mark"]
    with pytest.raises(
        AttributeError,
        match=r"module 'torch_npu.npu.mstx' has no attribute 'range_push': .*2\.7\.1\.post2.*"
        r"the first that has it is torch_npu 2\.7\.1\.post8 \(stack 26\.1\.0",
    ):
        mstx.range_push  # noqa: B018 - reading it is what is refused


def test_trim_leaves_star_imports_working(release: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    release.choose("2.7.1", "2.7.1.post2")
    mstx = made("torch_npu.npu.mstx", range_push=1, mark=2, _private=3)
    release.trim({"torch_npu.npu.mstx": mstx})
    monkeypatch.setitem(sys.modules, "trimmed_mstx", mstx)
    brought: dict[str, object] = {}
    exec("from trimmed_mstx import *", brought)
    assert {name for name in brought if name != "__builtins__"} == {"mark"}


IMPORTS = {
    "from its package": ("from torch_npu.npu import graphs", "graphs", ModuleNotFoundError),
    "by its name": ("import torch_npu.npu.graphs", "graphs", ModuleNotFoundError),
    "under another name": ("import torch_npu.npu.graphs as g", "graphs", ModuleNotFoundError),
    "out of it": ("from torch_npu.npu.graphs import NPUGraph", "graphs", ModuleNotFoundError),
    "below torch": ("import torch.npu.graphs", "graphs", ModuleNotFoundError),
    "a class": ("from torch_npu.npu import StreamContext", "StreamContext", ImportError),
}


@pytest.fixture
def packages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Modules with the names of the stand-in's."""
    npu = made("torch_npu.npu", __path__=[], graphs=made("torch_npu.npu.graphs"))
    monkeypatch.setitem(sys.modules, "torch.npu", npu)
    tops = made("torch_npu", __path__=[], npu=npu), made("torch", npu=npu)
    for module in (*tops, npu, npu.graphs):
        monkeypatch.setitem(sys.modules, module.__name__, module)


@pytest.mark.parametrize(("line", "name", "kind"), IMPORTS.values(), ids=IMPORTS)
@pytest.mark.usefixtures("packages")
def test_trim_refuses_imports(release: Any, line: str, name: str, kind: type[Exception]) -> None:
    release.choose("2.4.0", "2.4.0")
    release.trim()
    with pytest.raises(kind, match=f"module 'torch_npu.npu' has no attribute '{name}': torch_npu"):
        exec(line, {})


@pytest.mark.usefixtures("packages")
def test_trim_lets_import_everything_else(release: Any) -> None:
    release.choose("2.4.0", "2.4.0.post4")
    release.trim()
    exec("from torch_npu.npu import graphs\nimport torch_npu.npu.graphs as again", {})
    with pytest.raises(ImportError, match="cannot import name 'nothing'"):
        exec("from torch_npu.npu import nothing", {})


def test_trim_names_another_torch_where_the_line_never_got_it(release: Any) -> None:
    release.choose("2.4.0")
    npu = made("torch_npu.npu", StreamContext=1)
    release.trim({"torch_npu.npu": npu})
    with pytest.raises(AttributeError, match=r"is torch_npu 2\.5\.1\.post1 .*torch 2\.5\.1"):
        npu.StreamContext  # noqa: B018 - reading it is what is refused


def test_trim_refuses_what_is_gone(release: Any) -> None:
    release.choose("2.13.0")
    npu = made("torch_npu.npu", MemPoolContext=1)
    release.trim({"torch_npu.npu": npu})
    with pytest.raises(AttributeError, match="one that has it is torch_npu"):
        npu.MemPoolContext  # noqa: B018 - reading it is what is refused


def test_trim_leaves_the_modules_own_functions_alone(release: Any) -> None:
    release.choose("2.5.1", "2.5.1")
    npu = made("torch_npu.npu")
    exec("class StreamContext: pass\ndef stream(): return StreamContext()", npu.__dict__)
    release.trim({"torch_npu.npu": npu})
    assert type(npu.stream()).__name__ == "StreamContext"
    assert not hasattr(npu, "StreamContext")


def test_trim_removes_methods_of_classes(release: Any) -> None:
    release.choose("2.9.0", "2.9.0")

    class Event:
        __module__ = "torch_npu.npu.streams"

        def ipc_handle(self) -> None: ...

        def record(self) -> None: ...

    release.trim({"torch_npu.npu": made("torch_npu.npu", Event=Event)})
    assert not hasattr(Event, "ipc_handle")
    assert hasattr(Event, "record")


def test_trim_takes_nothing_that_the_release_has(release: Any) -> None:
    """What is refused is what the catalogue says is missing, for every release."""
    for known in torch_releases.releases():
        if versions.numbers(known.torch) < (2, 1) or "rc" in known.version:
            continue
        lacking = release.choose(known.torch, known.version).lacks()
        for owner, names in lacking.items():
            for word in names:
                assert known.has(f"{owner}.{word}") is False, (known, owner, word)


IN_AN_INTERPRETER = """
import importlib.util, json, sys
import torch
spec = importlib.util.spec_from_file_location("_release", sys.argv[1])
release = importlib.util.module_from_spec(spec)
spec.loader.exec_module(release)
found = release.choose(torch.__version__)
print(json.dumps([torch.__version__, found.version]))
"""


def test_installed_torch_has_a_release(torch_python: str) -> None:
    """In the user's interpreter, without the rest of the stand-in."""
    clean = {name: text for name, text in os.environ.items() if name != "ASCENDIFY_TORCH_NPU"}
    ended = subprocess.run(
        [torch_python, "-c", IN_AN_INTERPRETER, str(FILE)],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env=clean,
    )
    assert ended.returncode == 0, ended.stderr
    installed, version = json.loads(ended.stdout)
    assert version == torch_releases.nearest(installed).version


TRIMMED_AGAIN = """
import torch_npu
from torch_npu import _release
chosen = _release.chosen()
# every release of the installed PyTorch may have the module: let this one be without it
type(chosen).lacks = lambda self: {"torch_npu.utils": {"affinity": str(chosen.wheel)}}
_release.trim()
try:
    from torch_npu.utils import affinity
except ImportError as error:
    print(error)
"""


def test_a_module_that_came_later_is_refused(torch_python: str) -> None:
    """In the whole stand-in, whose own modules have imported it."""
    ended = subprocess.run(
        [torch_python, "-c", TRIMMED_AGAIN],
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert ended.returncode == 0, ended.stderr
    assert "module 'torch_npu.utils' has no attribute 'affinity': torch_npu 2." in ended.stdout


def test_data_is_not_stale() -> None:
    tool = [sys.executable, str(ROOT / "tools" / "build_torch_releases.py"), "--check"]
    ended = subprocess.run(tool, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
