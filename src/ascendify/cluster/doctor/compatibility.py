"""Check by published tables whether driver, CANN, frameworks and Python are compatible.

A pair that no table names is reported as not seen; only a pair that a table contradicts is a
problem.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ascendify.catalog import torch_releases
from ascendify.catalog.torch_releases import Release
from ascendify.cluster._data import table
from ascendify.cluster.doctor.interpreter import Interpreter
from ascendify.cluster.doctor.observation import Observation, Subject
from ascendify.cluster.doctor.toolkit import Toolkit

SUBJECT = Subject("what fits together")
_AUTOLOAD = "TORCH_DEVICE_BACKEND_AUTOLOAD"


def observe(
    driver: str,
    toolkits: Sequence[Toolkit],
    python: Interpreter,
    environment: Mapping[str, str],
) -> Iterator[Observation]:
    """Check each pair of installed packages."""
    used = next((each for each in toolkits if each.used), toolkits[0] if toolkits else None)
    cann = used.version if used else ""
    yield from _driver_and_cann(driver, cann)
    yield from _torch(python, cann)
    yield from _autoload(python, environment)
    yield from _tensorflow(python, cann)


def covers(published: str, found: str) -> bool:
    """Whether a release is the published one, a patch or a community build of it.

    >>> covers("8.0.RC2", "8.0.RC2.1"), covers("8.0.0", "8.0.0.beta1"), covers("8.0.0", "8.0.RC1")
    (True, True, False)
    """
    wanted, given = published.lower(), found.lower()
    return given == wanted or given.startswith((f"{wanted}.", f"{wanted}-", f"{wanted}+"))


def _driver_and_cann(driver: str, cann: str) -> Iterator[Observation]:
    if not (driver and cann):
        return
    pairs = [pair for pair in table("versions")["driver"]["pairs"] if covers(pair["cann"], cann)]
    drivers = [release for pair in pairs for release in pair["drivers"]]
    if any(covers(release, driver) for release in drivers):
        yield SUBJECT.ok(f"driver {driver} with CANN {cann}")
    elif drivers:
        yield SUBJECT.warning(
            f"driver {driver} with CANN {cann}: published are {', '.join(drivers)}",
            "upgrade driver and firmware if CANN reports errors of the driver",
        )
    else:
        yield SUBJECT.not_seen(f"driver {driver} with CANN {cann}: no table here names this CANN")


def _torch(python: Interpreter, cann: str) -> Iterator[Observation]:
    torch, adapter = (python.packages.get(name) for name in ("torch", "torch_npu"))
    if adapter is None:
        if torch and cann and not _adapters(python):
            yield SUBJECT.problem(
                f"torch {torch} without torch_npu, although CANN is installed",
                _install(torch, cann, python),
            )
        return
    release = torch_releases.parse(adapter)
    made_for = release.torch if release is not None else _base(adapter)
    if not torch:
        yield SUBJECT.problem(
            f"torch_npu {adapter} without torch", f"pip install torch=={made_for}"
        )
        return
    if _base(torch) == made_for:
        yield SUBJECT.ok(f"torch {torch} with torch_npu {adapter}")
    else:
        yield SUBJECT.problem(
            f"torch {torch} with torch_npu {adapter}: the first numbers must be the same",
            f"pip install torch=={made_for}, or {_install(torch, cann, python)}",
        )
    if cann:
        yield from _torch_npu_and_cann(adapter, release, cann, python)
    yield from _torch_and_python(torch, adapter, release, python)


def _torch_npu_and_cann(
    adapter: str, release: Release | None, cann: str, python: Interpreter
) -> Iterator[Observation]:
    together = f"torch_npu {adapter} with CANN {cann}"
    if release is None:
        yield SUBJECT.not_seen(f"{together}: no table here names this torch_npu")
    elif not release.cann:
        yield SUBJECT.not_seen(
            f"{together}: it belongs to stack {release.stack}, and no table here names its CANN"
        )
    elif covers(release.cann, cann):
        yield SUBJECT.ok(together)
    elif any(covers(other, cann) for other in torch_releases.cann_fits(release)):
        yield SUBJECT.ok(f"{together}: made for {release.cann}, published as compatible")
    else:
        yield SUBJECT.warning(
            f"{together}: it is published with CANN {release.cann}",
            f"install that CANN, or {_install(release.torch, cann, python)}",
        )


def _torch_and_python(
    torch: str, adapter: str, release: Release | None, python: Interpreter
) -> Iterator[Observation]:
    minor = ".".join(python.version.split(".")[:2])
    pythons = torch_releases.prerelease_pythons(adapter)
    if release is not None:
        pythons = release.python.get(python.architecture, release.pythons)
    if not pythons:
        yield SUBJECT.not_seen(
            f"torch {torch} with Python {minor}: no table here names the Pythons of this torch_npu"
        )
    elif minor in pythons:
        yield SUBJECT.ok(f"torch {torch} with Python {minor}")
    else:
        others = [item.version for item in _of_torch(torch) if minor in _pythons(item, python)]
        other = f", or pip install torch-npu=={others[-1]}" if others else ""
        yield SUBJECT.problem(
            f"torch {torch} with Python {minor}: torch_npu {adapter} is published for "
            f"{_either(pythons)}",
            f"make an environment with one of these{other}",
        )


def _autoload(python: Interpreter, environment: Mapping[str, str]) -> Iterator[Observation]:
    """Report the variable that keeps ``import torch`` from loading torch_npu."""
    release = torch_releases.parse(python.packages.get("torch_npu", ""))
    if environment.get(_AUTOLOAD) != "0" or release is None or not release.behaves("autoload"):
        return
    yield SUBJECT.warning(
        f"{_AUTOLOAD} is 0: import torch does not load torch_npu {release.version}, and programs "
        "that do not import it find no NPU",
        f"unset {_AUTOLOAD}, or make sure that every process imports torch_npu",
    )


def _tensorflow(python: Interpreter, cann: str) -> Iterator[Observation]:
    found = python.tensorflow
    minor = ".".join(python.version.split(".")[:2])
    if found and cann and not (_adapters(python) or "torch_npu" in python.packages):
        yield _without_adapter(found)
    for adapter in _adapters(python):
        name, wanted = adapter["package"], adapter["tensorflow"]
        if not found:
            yield SUBJECT.problem(f"{name} without TensorFlow", f"pip install tensorflow=={wanted}")
        elif covers(wanted, found):
            yield SUBJECT.ok(f"TensorFlow {found} with {name}")
        else:
            yield SUBJECT.problem(
                f"TensorFlow {found} with {name}: it is made for {wanted}",
                f"pip install tensorflow=={wanted}",
            )
        if minor not in adapter["pythons"]:
            yield SUBJECT.warning(
                f"{name} with Python {minor}: published for {_either(adapter['pythons'])}",
                "make an environment with one of these",
            )


def _adapters(python: Interpreter) -> list[dict[str, Any]]:
    """Return the TensorFlow adapters that the interpreter has."""
    adapters = table("versions")["tensorflow"]["adapters"]
    return [adapter for adapter in adapters if adapter["package"] in python.packages]


def _without_adapter(tensorflow: str) -> Observation:
    for adapter in table("versions")["tensorflow"]["adapters"]:
        if covers(adapter["tensorflow"], tensorflow):
            name = adapter["package"]
            return SUBJECT.problem(
                f"TensorFlow {tensorflow} without {name}, although CANN is installed",
                f"install the {name} of this CANN, or name its folder in PYTHONPATH",
            )
    return SUBJECT.problem(
        f"TensorFlow {tensorflow}: no adapter is published for this release",
        "train with TensorFlow 1.15 and npu_bridge, or 2.6.5 and npu_device",
    )


def _base(version: str) -> str:
    """Return the numbers of a release: 2.1.0.post3 is 2.1.0."""
    found = re.match(r"\d+(?:\.\d+){0,2}", version)
    return found[0] if found else version


def _of_torch(torch: str) -> list[Release]:
    """Return the torch_npu releases for a PyTorch, without candidates, the newest stack last."""
    return [item for item in torch_releases.of_torch(torch) if "rc" not in item.version]


def _pythons(release: Release, python: Interpreter) -> tuple[str, ...]:
    return release.python.get(python.architecture, release.pythons)


def _install(torch: str, cann: str, python: Interpreter) -> str:
    """Return the command that installs the torch_npu published for this torch, CANN and Python."""
    releases = _of_torch(torch)
    if not releases:
        near = torch_releases.nearest(torch)
        return (
            f"pip install torch=={near.torch} torch-npu=={near.version}: the nearest torch that "
            f"has a torch_npu, {_base(torch)} has none"
        )
    minor = ".".join(python.version.split(".")[:2])
    fitting = [item for item in releases if item.cann and cann and covers(item.cann, cann)]
    if not cann:
        return f"pip install torch-npu=={releases[-1].version}"
    for item in reversed(fitting):
        pythons = _pythons(item, python)
        python_too = f" with Python {_either(pythons)}" if pythons and minor not in pythons else ""
        return f"pip install torch-npu=={item.version}{python_too}"
    unknown = f"a torch_npu for torch {_base(torch)} and CANN {cann}; no table here names one"
    others = [item for item in torch_releases.releases() if item.cann and covers(item.cann, cann)]
    if not others:
        return unknown
    named = ", ".join(item.version for item in others if "rc" not in item.version)
    return f"{unknown}, those for this CANN are {named}"


def _either(names: Iterable[str]) -> str:
    return " or ".join(dict.fromkeys(names))
