"""Python packages that need CUDA or NVIDIA's driver, and what to use on an NPU instead."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from ascendify.catalog import advice
from ascendify.catalog._data import sources, table
from ascendify.findings import Effort, Status

TENSORFLOW_RELEASE = "1.15.0"
"""The TensorFlow release the TF 1 adapter is built for, on Python 3.7."""
TENSORFLOW2_RELEASE = "2.6.5"
"""The TensorFlow release the TF 2 adapter is built for."""


@dataclass(frozen=True)
class CudaPackage:
    """One package, or several with the same facts."""

    imports: tuple[str, ...]
    """Names that programs import; empty for packages that are only installed."""
    distributions: tuple[str, ...]
    """Names in requirement files, in lower case; ``*`` matches any characters."""
    what: str
    """What the package does, worded as the end of a sentence."""
    status: Status
    effort: Effort
    instructions: Mapping[str, str]
    """What to do, by framework."""
    source: tuple[str, ...]
    frameworks: tuple[str, ...] = ()
    """The frameworks whose projects use it; empty: all."""
    replacement: str = ""
    """The package for NPUs that replaces it; empty where there is none."""
    since: str = ""
    """The first version of the replacement that works."""
    npu: str = ""
    """How far it works on NPUs; see :class:`ascendify.catalog.libraries.Library`."""
    names: tuple[str, ...] = ()
    """Further import names, for which other rules look."""
    setup: str = ""
    """What must be set, or imported in which order, in sentences."""
    verified: bool = True
    """Whether a public source says so."""
    requirement: str | None = None
    """What a requirement file holds in its place, empty for nothing; None: a person decides."""
    same_version: bool = False
    """Whether that has the same versions."""
    came_with_torch: bool = False
    """Whether it is installed with every CUDA build of torch, so that lists made by pip have it."""

    def concerns(self, framework: str) -> bool:
        """Whether projects of a framework use it."""
        return not self.frameworks or framework in self.frameworks

    def instead(self, framework: str) -> str:
        """A sentence that says what to do without the package."""
        return advice.for_framework(self.instructions, framework)


@cache
def all_packages() -> tuple[CudaPackage, ...]:
    """Every entry of the table."""
    return tuple(_package(row) for row in table("cuda-packages")["packages"])


@cache
def by_import(framework: str) -> dict[str, CudaPackage]:
    """The packages that programs of a framework may import, by import name."""
    return {
        name: package
        for package in all_packages()
        for name in package.imports
        if package.concerns(framework)
    }


def providing(name: str, framework: str) -> CudaPackage | None:
    """The package that a dotted name is of: ``numba.cuda.jit``, ``apex.optimizers.FusedAdam``."""
    packages = {**_without_other_builds(framework), **by_import(framework)}
    while name and name not in packages:
        name = name.rpartition(".")[0]
    return packages.get(name)


@cache
def _without_other_builds(framework: str) -> dict[str, CudaPackage]:
    """Packages other rules look for, but not those with builds for CPUs: ``onnxruntime``."""
    return {
        name: package
        for package in all_packages()
        for name in package.names
        if name in package.distributions and package.concerns(framework)
    }


def by_distribution(name: str, framework: str) -> CudaPackage | None:
    """The package that a requirement names, None when it needs no CUDA."""
    plain = re.sub(r"[-_.]+", "-", name).lower()
    return next(
        (
            package
            for pattern, package in _distributions()
            if package.concerns(framework) and pattern.fullmatch(plain)
        ),
        None,
    )


@cache
def _distributions() -> tuple[tuple[re.Pattern[str], CudaPackage], ...]:
    return tuple(
        (re.compile(re.escape(name).replace(r"\*", ".*")), package)
        for package in all_packages()
        for name in package.distributions
    )


def _package(row: Mapping[str, Any]) -> CudaPackage:
    return CudaPackage(
        imports=tuple(row["imports"]),
        distributions=tuple(row["distributions"]),
        what=row["what"],
        status=Status(row["status"]),
        effort=Effort(row["effort"]),
        instructions=row["instead"],
        source=sources("cuda-packages", row["source"]),
        frameworks=tuple(row.get("frameworks", ())),
        replacement=row.get("replacement", ""),
        since=row.get("since", ""),
        npu=row.get("npu", ""),
        names=tuple(row.get("names", ())),
        setup=row.get("setup", ""),
        verified=row.get("verified", True),
        requirement=row.get("requirement"),
        same_version=row.get("same_version", False),
        came_with_torch=row.get("came_with_torch", False),
    )
