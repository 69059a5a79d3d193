"""Query the Python that trains for its version and packages, in a process of its own.

The query only reads folders: importing a framework would take seconds, and may hold a device.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ascendify.catalog import torch_releases
from ascendify.cluster.doctor.machine import Machine
from ascendify.cluster.doctor.observation import Observation, Subject

SUBJECT = Subject("Python and frameworks")
DEFAULTS = ("python", "python3")
_CPU_INDEX = "https://download.pytorch.org/whl/cpu"
_PATIENCE_SECONDS = 60.0
_PACKAGES = (
    "torch",
    "torch_npu",
    "tensorflow",
    "tensorflow_cpu",
    "tensorflow_gpu",
    "npu_bridge",
    "npu_device",
    "numpy",
)
_NEEDED_BY_CANN = {
    "numpy": "numpy",
    "decorator": "decorator",
    "sympy": "sympy",
    "cffi": "cffi",
    "yaml": "pyyaml",
    "psutil": "psutil",
    "google.protobuf": "protobuf",
    "scipy": "scipy",
    "attr": "attrs",
    "requests": "requests",
    "absl": "absl-py",
}
"""Modules that the operator compiler imports, and the packages that install them."""
_QUERY = """
import importlib.util, json, os, platform, re, sys
packages, modules = json.loads(sys.argv[1])
versions = {}
for folder in sys.path:
    try:
        names = os.listdir(folder or ".")
    except OSError:
        continue
    for name in names:
        found = re.match(r"(.+?)-([^-]+?)(-py[0-9.]+.*)?[.](dist|egg)-info$", name)
        if found:
            package = found.group(1).lower().replace("-", "_").replace(".", "_")
            if package in packages:
                versions.setdefault(package, found.group(2))
def has(module):
    try:
        return importlib.util.find_spec(module) is not None
    except Exception:
        return False
def built_for():
    # the package index names builds for CUDA without a suffix: torch's own version file has it
    try:
        folder = os.path.dirname(importlib.util.find_spec("torch").origin)
        with open(os.path.join(folder, "version.py")) as stream:
            found = re.search(r"^cuda[^=]*= *.([0-9][0-9.]*)", stream.read(), re.M)
        return found.group(1) if found else ""
    except Exception:
        return ""
print("ANSWER" + json.dumps({
    "version": "%d.%d.%d" % tuple(sys.version_info[:3]),
    "executable": sys.executable,
    "machine": platform.machine(),
    "cuda": built_for(),
    "versions": versions,
    "present": [module for module in modules if has(module)],
}))
"""
"""Program that runs in the interpreter; valid for any Python from 3.5 on."""


@dataclass(frozen=True)
class Interpreter:
    """Version and packages of an interpreter."""

    program: str
    version: str = ""
    packages: Mapping[str, str] = field(default_factory=dict)
    """Name with underscores -> release; empty when no record of the release was found."""
    missing: tuple[str, ...] = ()
    """The packages that CANN's operator compiler needs and this Python lacks, by their names for
    pip."""
    architecture: str = ""
    """The kind of processor: x86_64, aarch64."""
    cuda: str = ""
    """The CUDA that torch is built for, empty for a build without."""
    failure: str = ""

    @property
    def tensorflow(self) -> str:
        """The release of TensorFlow, under any of its package names."""
        names = ("tensorflow", "tensorflow_cpu", "tensorflow_gpu")
        return next((self.packages[name] for name in names if self.packages.get(name)), "")


def query(machine: Machine, program: str | None) -> Interpreter:
    """Query the given interpreter, or else the first on the PATH."""
    program = program or next(filter(None, map(machine.which, DEFAULTS)), None)
    if program is None:
        return Interpreter("python", failure="there is no python on the PATH")
    modules = [*_PACKAGES, *_NEEDED_BY_CANN]
    command = (program, "-c", _QUERY, json.dumps([_PACKAGES, modules]))
    ran = machine.run(command, _PATIENCE_SECONDS)
    _, found, answer = ran.output.rpartition("ANSWER")
    if ran.failure or ran.code or not found:
        last = (ran.output.strip().splitlines() or [f"exit status {ran.code}"])[-1]
        return Interpreter(program, failure=ran.failure or last[:200])
    report = json.loads(answer)
    present = set(report["present"])
    recorded = report["versions"]
    unrecorded = {name: "" for name in _PACKAGES if name in present}
    if any(name.startswith("tensorflow_") for name in recorded):
        unrecorded.pop("tensorflow", None)  # the same module under the name of its build
    return Interpreter(
        program=report["executable"] or program,
        version=report["version"],
        architecture=report.get("machine", ""),
        cuda=report.get("cuda", ""),
        packages={**unrecorded, **recorded},
        missing=tuple(name for module, name in _NEEDED_BY_CANN.items() if module not in present),
    )


def observe(python: Interpreter, has_cann: bool) -> Iterator[Observation]:
    """Report Python and packages; ``compatibility`` checks whether they fit together."""
    if python.failure:
        yield SUBJECT.problem(
            f"{python.program} could not be queried: {python.failure}",
            "name the interpreter that trains with --python",
        )
        return
    yield SUBJECT.ok(f"Python {python.version} ({python.program})")
    shown = [name for name in _PACKAGES if name in python.packages]
    for name in shown:
        yield SUBJECT.ok(f"{name} {python.packages[name] or 'of unknown release'}")
    if not any(name.startswith(("torch", "tensorflow")) for name in shown):
        yield SUBJECT.not_seen(
            "it has neither PyTorch nor TensorFlow",
            "name the interpreter that trains with --python",
        )
    yield from _builds(python)
    if has_cann and python.missing:
        yield SUBJECT.warning(
            f"CANN's operator compiler needs {', '.join(python.missing)}",
            f"{python.program} -m pip install {' '.join(python.missing)}",
        )


def _builds(python: Interpreter) -> Iterator[Observation]:
    torch = python.packages.get("torch", "")
    if "+cu" in torch or (python.cuda and "torch_npu" in python.packages):
        yield SUBJECT.warning(f"torch {torch} is a build for CUDA", _cpu_build(python))
    if "tensorflow_gpu" in python.packages:
        yield SUBJECT.warning(
            "tensorflow_gpu is a build for CUDA", "install tensorflow of the same release"
        )


def _cpu_build(python: Interpreter) -> str:
    """Say what to install instead of a build for CUDA, and what the CUDA build leads to."""
    torch = python.packages["torch"].partition("+")[0]
    release = torch_releases.parse(python.packages.get("torch_npu", ""))
    advice = f"pip install torch=={torch} --index-url {_CPU_INDEX}"
    if release is None:
        return advice
    if release.behaves("refuses_other_accelerator"):
        advice += f"; where there is a GPU too, torch_npu {release.version} raises at import"
    if not release.behaves("requires_cpu_build"):
        advice += "; from torch_npu 2.12 on pip does not refuse this pair"
    return advice
