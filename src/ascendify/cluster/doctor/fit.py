"""Whether driver, CANN, frameworks and Python belong together, by published tables.

What no table names is unknown, and said to be; only what a table contradicts is a problem.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ascendify.cluster._data import table
from ascendify.cluster.doctor.interpreter import Interpreter
from ascendify.cluster.doctor.observation import Observation, Subject
from ascendify.cluster.doctor.toolkit import Toolkit

SUBJECT = Subject("what fits together")


def look(driver: str, toolkits: Sequence[Toolkit], python: Interpreter) -> Iterator[Observation]:
    """Compare every two that are there."""
    used = next((each for each in toolkits if each.used), toolkits[0] if toolkits else None)
    cann = used.version if used else ""
    yield from _driver_and_cann(driver, cann)
    yield from _torch(python, cann)
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
                _install(torch, cann),
            )
        return
    if not torch:
        yield SUBJECT.problem(
            f"torch_npu {adapter} without torch", f"pip install torch=={_base(adapter)}"
        )
        return
    rows = [row for row in _rows() if row["torch_npu"] == _public(adapter)]
    if _base(torch) in {row["torch"] for row in rows} or _base(torch) == _base(adapter):
        yield SUBJECT.ok(f"torch {torch} with torch_npu {adapter}")
    else:
        yield SUBJECT.problem(
            f"torch {torch} with torch_npu {adapter}: the first numbers must be the same",
            f"pip install torch=={_base(adapter)}, or a torch_npu of {_base(torch)}",
        )
    if cann:
        yield from _torch_npu_and_cann(adapter, rows, cann)
    yield from _torch_and_python(torch, python)


def _torch_npu_and_cann(
    adapter: str, rows: Sequence[dict[str, str]], cann: str
) -> Iterator[Observation]:
    together = f"torch_npu {adapter} with CANN {cann}"
    compatible = table("versions")["torch_compatible"]["releases"]
    also = [release for row in rows for release in compatible.get(row["release"], ())]
    if any(covers(row["cann"], cann) for row in rows):
        yield SUBJECT.ok(together)
    elif any(covers(release, cann) for release in also):
        yield SUBJECT.ok(f"{together}: made for {rows[0]['cann']}, published as compatible")
    elif rows:
        yield SUBJECT.warning(
            f"{together}: it is published with CANN {_either(row['cann'] for row in rows)}",
            f"install that CANN, or {_install(_base(adapter), cann)}",
        )
    else:
        yield SUBJECT.not_seen(f"{together}: no table here names this torch_npu")


def _torch_and_python(torch: str, python: Interpreter) -> Iterator[Observation]:
    pythons = table("versions")["torch_python"]["pythons"].get(_base(torch))
    minor = ".".join(python.version.split(".")[:2])
    if pythons is None:
        yield SUBJECT.not_seen(f"torch {torch} with Python {minor}: no table here names this torch")
    elif minor in pythons:
        yield SUBJECT.ok(f"torch {torch} with Python {minor}")
    else:
        yield SUBJECT.problem(
            f"torch {torch} with Python {minor}: torch_npu is published for {_either(pythons)}",
            "make an environment with one of these",
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
    """Those of the table that the interpreter has."""
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


def _rows() -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = table("versions")["torch"]["pairs"]
    return rows


def _public(version: str) -> str:
    """A release without the build: 2.1.0.post3+gitabc is 2.1.0.post3."""
    return version.partition("+")[0]


def _base(version: str) -> str:
    """The numbers of a release: 2.1.0.post3 is 2.1.0."""
    found = re.match(r"\d+(?:\.\d+){0,2}", version)
    return found[0] if found else version


def _install(torch: str, cann: str) -> str:
    """The command for the release of torch_npu that is published for both."""
    for row in _rows():
        if row["torch"] == _base(torch) and covers(row["cann"], cann):
            return f"pip install torch-npu=={row['torch_npu']}"
    return f"a torch_npu for torch {_base(torch)} and CANN {cann}; no table here names one"


def _either(words: Iterable[str]) -> str:
    return " or ".join(dict.fromkeys(words))
