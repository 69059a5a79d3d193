"""Names of the frameworks and of the NPU API, as type inference needs them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from ascendify.catalog import names, native_keras, signatures, torch_npu, types
from ascendify.catalog._data import TENSORFLOW, TENSORFLOW2, table

_NPU_ROOTS = ("npu_bridge", "hccl", "npu_device")


class CatalogKnowledge:
    """Answers from the packaged tables; implements :class:`ascendify.source.values.Knowledge`.

    Names of the NPU API have one canonical spelling too: ``npu.NPURunConfig`` whether it comes from
    ``npu_bridge.npu_init`` or from the module that defines it, ``npu.npu_ops.dropout`` for what
    lives in a module people import as such. Names of the native ``keras`` package are those of the
    ``tf.keras`` they become.
    """

    def __init__(self, releases: Mapping[str, str] | None = None) -> None:
        """Take the release of TensorFlow each file is written for; other files are for ``tf1``."""
        self._npu: dict[str, str] = {}
        self._releases = releases or {}

    def canonical(self, name: str, path: str = "") -> str:
        """The canonical spelling of a name, as seen from one file."""
        root = name.partition(".")[0]
        if root in _NPU_ROOTS or root == "npu":
            found = self._npu.get(name)
            if found is None:
                found = self._npu[name] = _npu_canonical(name)
            return found
        if root == "horovod" and not name.startswith("horovod.torch"):
            return _horovod_canonical(name)
        release = self._releases.get(path, TENSORFLOW)
        if root == "keras":
            return native_keras.canonical(name, release)
        return names.canonical(name, release)

    def returns(self, name: str, path: str = "") -> str | None:
        """The class of the result of calling ``name`` in a file."""
        if name.startswith("npu."):
            kind: str | None = _npu()["returns"].get(name)
            return kind
        found = types.returns(name)
        if found is not None and name.startswith("horovod."):
            return _of_release(found, self._releases.get(path, TENSORFLOW))
        return found

    def attribute(self, name: str) -> str | None:
        """The class of the data attribute ``class.attribute``."""
        return types.attribute(name)

    def item(self, kind: str, place: int | None) -> str | None:
        """The class of the item at a place of a container, of any item when it is None."""
        return types.item(kind, place)

    def enters(self, name: str) -> str | None:
        """The class of the value that ``with`` binds for an instance of this class."""
        return types.enters(name)

    def member(self, name: str) -> str:
        """The name under which the base class that defines ``class.method`` declares it."""
        return types.member(name)

    def known(self, name: str) -> bool:
        """Whether the framework has such a name."""
        if name in _passed_on().values():
            return True
        if name.startswith("npu."):
            owner, _, last = name.rpartition(".")
            own = star_names() if owner == "npu" else _npu()["members"].get(owner, "").split()
            return last in own
        if types.is_class(name) or signatures.signature(name) is not None:
            return True
        if types.attribute(name) is not None or torch_npu.exists(name):
            return True
        owner, _, last = name.rpartition(".")
        return types.is_class(owner) and types.declares(owner, last)


def _of_release(kind: str, release: str) -> str:
    """A name of Horovod, in the release of TensorFlow that the program uses.

    Its functions take and return objects of that release.
    """
    if release != TENSORFLOW2 or not kind.startswith("tf."):
        return kind
    found = "tf2" + kind[len("tf") :]
    # there is no other optimizer in TensorFlow 2
    return found if types.is_class(found) else "tf2.keras.optimizers.Optimizer"


_HOROVOD_PATHS = (
    "horovod.tensorflow.keras",
    "horovod.keras",
    "horovod.tensorflow.mpi_ops",
    "horovod.tensorflow.compression",
    "horovod.tensorflow.functions",
    "horovod.common.basics",
)
"""Modules that bring Horovod's functions under another path than ``horovod.tensorflow``."""
_SHARED = """
    init shutdown is_initialized rank size local_rank local_size cross_rank cross_size
    is_homogeneous mpi_threads_supported mpi_enabled mpi_built gloo_enabled gloo_built nccl_built
    ddl_built ccl_built cuda_built rocm_built start_timeline stop_timeline Compression Average Sum
    Adasum Min Max Product broadcast_variables broadcast_object allgather_object alltoall join
    rank_op size_op local_rank_op local_size_op broadcast_global_variables
"""
_HOROVOD_SHARED = frozenset(_SHARED.split())
"""Paths under which Horovod exports the same object.

Those of Keras are left out: its allreduce, allgather, broadcast and DistributedOptimizer are
different functions."""


def _horovod_canonical(name: str) -> str:
    """``horovod.tensorflow.rank`` for ``horovod.keras.rank`` and the like."""
    for path in _HOROVOD_PATHS:
        if name.startswith(path + "."):
            first = name[len(path) + 1 :].partition(".")[0]
            if first in _HOROVOD_SHARED or path not in _HOROVOD_PATHS[:2]:
                return "horovod.tensorflow" + name[len(path) :]
    return name


ADAPTER = "npu_bridge"
"""The NPU's adapter for TensorFlow 1."""
COMPAT_ADAPTER = "npu_device.compat.v1"
"""The modules that ``compat.v1`` code imports where TensorFlow 2 is installed."""
STAR_MODULE = f"{ADAPTER}.npu_init"
"""The module the vendor's tool imports everything from."""


@cache
def star_names() -> frozenset[str]:
    """Every name that ``from npu_bridge.npu_init import *`` brings in."""
    return frozenset((*_npu()["star"]["own"].split(), *_passed_on()))


def parameters(api: str) -> tuple[str, ...]:
    """The parameters of a config class of the NPU API in order; empty for anything else."""
    return tuple(_npu()["parameters"].get(api, "").split())


def _passed_on() -> dict[str, str]:
    """Names that the module re-exports from other modules, and their canonical names."""
    found: dict[str, str] = _npu()["star"]["passed_on"]
    return found


def _npu() -> dict[str, Any]:
    return table("npu-api")


def _npu_canonical(name: str) -> str:
    """``npu.`` plus the name, without the path of the module that only re-exports or defines it."""
    found = _npu_home(name)
    first, dot, rest = found.partition("npu.")[2].partition(".")
    if found.startswith("npu.") and first in _passed_on():
        return names.canonical(_passed_on()[first] + dot + rest)
    return found


def _npu_home(name: str) -> str:
    modules: dict[str, str] = _npu()["modules"]
    if name.startswith(f"{COMPAT_ADAPTER}."):
        name = ADAPTER + name[len(COMPAT_ADAPTER) :]
    end = len(name)
    while end > 0:
        prefix = name[:end]
        if prefix in modules:
            shown = modules[prefix]
            rest = name[end:]
            return f"npu.{shown}{rest}" if shown else f"npu{rest}"
        end = name.rfind(".", 0, end)
    return name
