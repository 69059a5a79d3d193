"""Error messages for users: whose mistake it is, without PyTorch's long lists.

The excerpts are what Python and PyTorch print; lists of registrations are cut to a few lines.
"""

from __future__ import annotations

import runpy
import subprocess
from pathlib import Path

import pytest

from ascendify.emulation import own_failures
from ascendify.emulation.failures import explain, without_libraries
from ascendify.emulation.own_failures import INTRODUCTION, is_ours
from ascendify.emulation.paths import PACKAGES, STARTUP
from support.interpreters import user_environment

OLD_RELEASE = """\
Traceback (most recent call last):
  File "train.py", line 3, in <module>
    torch._cudnn_rnn_flatten_weight([x], 1, 3, 0, 3, 0, 1, False, False)
NotImplementedError: Could not run 'aten::_cudnn_rnn_flatten_weight' with arguments from the 'CPU' \
backend. This could be because the operator doesn't exist for this backend, or was omitted during \
the selective/custom build process (if using custom build). If you are a Facebook employee using \
PyTorch on mobile, please visit https://fburl.com/ptmfixes for possible resolutions. \
'aten::_cudnn_rnn_flatten_weight' is only available for these backends: [CUDA, BackendSelect, \
Python, Named, ADInplaceOrView, AutogradOther, AutogradCPU, AutogradCUDA, Batched, VmapMode].

CUDA: registered at aten/src/ATen/RegisterCUDA.cpp:44143 [kernel]
BackendSelect: fallthrough registered at ../aten/src/ATen/core/BackendSelectFallbackKernel.cpp:3 \
[backend fallback]
AutogradCPU: registered at ../torch/csrc/autograd/generated/VariableType_1.cpp:16005 \
[autograd kernel]
"""
NEW_RELEASE = OLD_RELEASE.replace("[CUDA, BackendSelect", "[CUDA, Meta, BackendSelect").replace(
    "aten/src/ATen/RegisterCUDA.cpp:44143", "/__w/pytorch/build/aten/src/RegisterCUDA_0.cpp:1513"
)
NO_TENSORS = """\
Traceback (most recent call last):
  File "train.py", line 2, in <module>
    torch.cat([])
NotImplementedError: There were no tensor arguments to this function (e.g., you passed an empty \
list of Tensors), but no fallback function is registered for schema aten::_cat.  This usually \
means that this function requires a non-empty list of Tensors, or that you (the operator writer) \
forgot to register a fallback function.  Available functions are [CPU, CUDA, BackendSelect].

CPU: registered at aten/src/ATen/RegisterCPU.cpp:31034 [kernel]
"""
IN_A_CHILD = (
    """\
torch.multiprocessing.spawn.ProcessRaisedException:

-- Process 1 terminated with the following error:
"""
    + OLD_RELEASE
)
SHORT = (
    "NotImplementedError: Could not run 'aten::_cudnn_rnn_flatten_weight' with arguments from the "
    "'CPU' backend. PyTorch has this operator only for CUDA."
)
LONG = {
    "old-release": (OLD_RELEASE, SHORT),
    "new-release": (NEW_RELEASE, SHORT),
    "build-without-cuda": (
        NEW_RELEASE.replace("[CUDA, Meta", "[Meta"),
        SHORT.replace(
            "PyTorch has this operator only for CUDA.",
            "This build of PyTorch has it for no device.",
        ),
    ),
    "no-tensors": (
        NO_TENSORS,
        "NotImplementedError: There were no tensor arguments to this function.",
    ),
    "in-a-child": (IN_A_CHILD, SHORT),
    "cut-off-at-its-beginning": (
        "Conjugate: registered at ../aten/ATen/ConjugateFallback.cpp:17 [backend fallback]\nlast",
        "last",
    ),
}


@pytest.mark.parametrize(("log", "last"), LONG.values(), ids=LONG)
def test_a_page_of_dispatch_keys_becomes_one_sentence(log: str, last: str) -> None:
    shown = without_libraries(log.splitlines())
    assert shown[-1] == last
    assert not any("registered at" in line or "Autograd" in line for line in shown)


def test_a_process_and_its_log_are_read_by_the_same_patterns() -> None:
    path = STARTUP / "ascendify_startup" / "plain_errors.py"
    inside = runpy.run_path(str(path))
    for name in ("_NO_KERNEL", "_NO_TENSORS", "_REGISTRATION"):
        assert inside[name].pattern == getattr(own_failures, name).pattern, name
    for name in ("_DEVICES", "_GENERATED"):
        assert inside[name] == getattr(own_failures, name), name
    accidents = {kind.__name__ for kind in inside["_ACCIDENTS"]}
    # the name of a subclass in a log says nothing about its base
    assert accidents | {"UnboundLocalError"} == own_failures._ACCIDENTS
    assert inside["introduction"]().startswith(INTRODUCTION)


@pytest.mark.parametrize(
    ("backend", "expected"),
    [
        ("CPU", "does not exist on the CPU"),
        ("PrivateUse1", "no kernel of this operator"),
        ("npu", "no kernel of this operator"),
    ],
)
def test_a_missing_kernel_is_explained(backend: str, expected: str) -> None:
    log = OLD_RELEASE.replace("'CPU'", f"'{backend}'").splitlines()
    assert expected in explain(log, None)
    assert expected in explain(without_libraries(log), None)


BEFORE = 'Traceback (most recent call last):\n  File "train.py", line 1, in <module>\n    go()\n'
OURS = {
    "attribute-that-a-release-lacks": """\
  File "PACKAGES/torch_npu/_device/device_type.py", line 13, in <module>
    class _Hooks(torch._C._acc.PrivateUse1Hooks):
                 ^^^^^^^^^^^^^
AttributeError: module 'torch._C' has no attribute '_acc'
""",
    "name-that-a-release-lacks": """\
  File "PACKAGES/torch_npu/profiler/__init__.py", line 4, in <module>
    from torch._C._profiler import _ExperimentalConfig
ImportError: cannot import name '_ExperimentalConfig' from 'torch._C._profiler'
""",
    "key": """\
  File "STARTUP/ascendify_startup/torch_pretend.py", line 40, in _call
    return special[func](*args)
KeyError: <built-in method lstm>
""",
    "assertion": """\
  File "PACKAGES/ascendify_runtime/world.py", line 90, in join
    assert self.rank < self.size
AssertionError
""",
    "generated-kernel": """\
  File "<npu kernel TT>", line 5, in kernel
AttributeError: 'NoneType' object has no attribute 'shape'
""",
    "internal-assert": """\
  File "<npu kernel TT>", line 5, in kernel
RuntimeError: !handles_.at(i) INTERNAL ASSERT FAILED at "../c10/cuda/driver_api.cpp":16, please \
report a bug to PyTorch.
""",
}
NOT_OURS = {
    "internal-assert-of-a-real-device": """\
RuntimeError: t == DeviceType::PrivateUse1 INTERNAL ASSERT FAILED at "NPUGuardImpl.cpp":38, please \
report a bug to PyTorch.
""",
    "the-users": "KeyError: 'LOCAL_RANK'\n",
    "of-a-library": """\
  File "/venv/lib/python3.11/site-packages/torch/cuda/__init__.py", line 522, in _lazy_init
    raise AssertionError("Torch not compiled with CUDA enabled")
AssertionError: Torch not compiled with CUDA enabled
""",
    "refusal": """\
  File "PACKAGES/torch_npu/npu/devices.py", line 121, in _check
    raise AssertionError(f"Invalid device id: {index}")
AssertionError: Invalid device id: 9
""",
    "release-that-is-too-old": """\
  File "PACKAGES/torch_npu/_torch_version.py", line 18, in check_torch
    raise ImportError(
ImportError: ascendify: an emulated NPU is not possible with torch 1.13
""",
    "shapes-that-do-not-fit": """\
  File "<npu kernel TT>", line 5, in kernel
RuntimeError: The size of tensor a (3) must match the size of tensor b (4) at dimension 0
""",
    "index-out-of-range": """\
  File "PACKAGES/torch_npu/_device/register.py", line 48, in first_call
    return kernel(*args, **kwargs)
IndexError: index out of range in self
""",
    "called-back": """\
  File "STARTUP/ascendify_startup/import_hooks.py", line 35, in exec_module
    load(module)
  File "/home/me/project/model.py", line 7, in <module>
    torch.no_such_name
AttributeError: module 'torch' has no attribute 'no_such_name'
""",
    "handled-before-another": """\
  File "PACKAGES/torch_npu/npu/options.py", line 100, in get
    return self[name]
KeyError: 'x'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "train.py", line 9, in <module>
    main()
ValueError: there is no setting x
""",
    "frames-of-the-framework-left-out": """\
  File "STARTUP/ascendify_startup/capture_eager.py", line 172, in call
    path = method(self, *args, **kwargs)
AttributeError: 'NoneType' object has no attribute 'replace'
""",
}


def log_of(end: str) -> list[str]:
    text = (BEFORE + end).replace("PACKAGES", str(PACKAGES)).replace("STARTUP", str(STARTUP))
    return text.splitlines()


@pytest.mark.parametrize("end", OURS.values(), ids=OURS)
def test_an_accident_in_our_code_is_called_ours(end: str) -> None:
    log = log_of(end)
    assert is_ours(log)
    shown = without_libraries(log)
    assert shown[0] == INTRODUCTION
    assert shown[-1] == log[-1]
    assert "please report it" in explain(log, None)


@pytest.mark.parametrize("end", NOT_OURS.values(), ids=NOT_OURS)
def test_a_refusal_and_a_mistake_of_the_users_keep_their_words(end: str) -> None:
    log = log_of(end)
    assert not is_ours(log)
    assert without_libraries(log)[0] == log[0]
    assert "please report it" not in explain(log, None)


def test_frames_of_ours_are_kept_only_where_the_fault_is_ours() -> None:
    frame = f'  File "{PACKAGES}/torch_npu/_device/device_type.py", line 13, in <module>'
    assert frame in without_libraries(log_of(OURS["attribute-that-a-release-lacks"]))
    refused = without_libraries(log_of(NOT_OURS["refusal"]))
    assert not any(str(PACKAGES) in line for line in refused)


def failing(python: str, folder: Path, source: str) -> str:
    """What a program prints that fails with the start-up code in its process."""
    (folder / "train.py").write_text(source)
    ended = subprocess.run(
        (python, "train.py"),
        cwd=folder,
        env={
            **user_environment(),
            "PYTHONPATH": f"{STARTUP}:{folder}",
            "ASCENDIFY_ROOT": ".",
            "ASCENDIFY_DEVICES": "1",
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert ended.returncode == 1, ended.stdout + ended.stderr
    return ended.stderr


RAISE = "MESSAGE = {message!r}\ndef go():\n    raise NotImplementedError(MESSAGE)\n"
WAYS = {
    "uncaught": "go()\n",
    "in-a-thread": (
        "import sys, threading\nthread = threading.Thread(target=go)\nthread.start()\n"
        "thread.join()\nsys.exit(1)\n"
    ),
    "logged": (
        "import logging, sys\ntry:\n    go()\nexcept Exception:\n    logging.exception('x')\n"
        "sys.exit(1)\n"
    ),
    "chained": "try:\n    go()\nexcept Exception as error:\n    raise ValueError('x') from error\n",
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_a_process_prints_one_sentence(tmp_path: Path, bare_python: str, way: str) -> None:
    message = OLD_RELEASE.partition("NotImplementedError: ")[2].rstrip("\n")
    printed = failing(bare_python, tmp_path, RAISE.format(message=message) + way)
    assert SHORT in printed.splitlines()
    assert "registered at" not in printed
    assert "please report it" not in printed


@pytest.mark.parametrize(
    "source",
    [
        "error = ValueError('x')\nraise error from error\n",
        "one = ValueError('x')\none.__cause__ = ValueError('y')\nraise one.__cause__ from one\n",
    ],
    ids=["itself", "two-errors"],
)
def test_causes_that_go_in_a_circle_end(tmp_path: Path, bare_python: str, source: str) -> None:
    assert "ValueError: x" in failing(bare_python, tmp_path, source)


def test_every_build_of_torch_prints_one_sentence(tmp_path: Path, torch_python: str) -> None:
    source = (
        "import torch\nx = torch.ones(3, 3)\n"
        "torch._cudnn_rnn_flatten_weight([x], 1, 3, 0, 3, 0, 1, False, False)\n"
    )
    printed = failing(torch_python, tmp_path, source)
    assert "with arguments from the 'CPU' backend." in printed
    assert "registered at" not in printed
    assert "Autograd" not in printed


@pytest.mark.parametrize(
    ("line", "ours"),
    [
        ("{}['x']", True),
        ("None.x", True),
        ("raise KeyError('x')", False),
        ("int('x')", False),
        ("getattr(None, 'repl' + 'ace')", False),
        ("import no_such_module", False),
    ],
)
def test_the_first_line_of_an_error_that_is_ours_says_so(
    tmp_path: Path, bare_python: str, line: str, ours: bool
) -> None:
    # a module of ours, as far as its path tells
    module = f"{STARTUP}/ascendify_startup/made_up.py"
    source = (
        f"import linecache\nsource = {line!r}\n"
        f"linecache.cache[{module!r}] = (len(source), None, [source], {module!r})\n"
        f"exec(compile(source, {module!r}, 'exec'))\n"
    )
    first = failing(bare_python, tmp_path, source).splitlines()[0]
    assert first.startswith(INTRODUCTION) == ours
    assert ("Python 3." in first) == ours
