"""What inference needs to know about names, TensorFlow's and the NPU's together."""

from __future__ import annotations

from typing import Any

from ascendify.catalog import names, signatures, types
from ascendify.catalog._data import table

_NPU_ROOTS = ("npu_bridge", "hccl", "npu_device")


class CatalogKnowledge:
    """Answers from the packaged tables; implements :class:`ascendify.source.values.Knowledge`.

    Names of the NPU API have one canonical spelling too: ``npu.NPURunConfig`` whether it comes from
    ``npu_bridge.npu_init`` or from the module that defines it, ``npu.npu_ops.dropout`` for what
    lives in a module people import as such.
    """

    def __init__(self) -> None:
        self._npu: dict[str, str] = {}

    def canonical(self, name: str) -> str:
        """One spelling for every way to write the same name."""
        root = name.partition(".")[0]
        if root in _NPU_ROOTS:
            found = self._npu.get(name)
            if found is None:
                found = self._npu[name] = _npu_canonical(name)
            return found
        return names.canonical(name)

    def returns(self, name: str) -> str | None:
        """The class of what calling ``name`` gives."""
        if name.startswith("npu."):
            kind: str | None = _npu()["returns"].get(name)
            return kind
        return types.returns(name)

    def attribute(self, name: str) -> str | None:
        """The class of the data attribute ``class.attribute``."""
        return types.attribute(name)

    def enters(self, name: str) -> str | None:
        """The class of what ``with`` an instance of this class gives."""
        return types.enters(name)

    def member(self, name: str) -> str:
        """The name under which the base class that defines ``class.method`` declares it."""
        return types.member(name)

    def known(self, name: str) -> bool:
        """Whether such a name exists."""
        if name.startswith("npu."):
            return True
        return types.is_class(name) or signatures.signature(name) is not None


def _npu() -> dict[str, Any]:
    return table("npu-api")


def _npu_canonical(name: str) -> str:
    """``npu.`` plus the name, without the path of the module that only re-exports or defines it."""
    modules: dict[str, str] = _npu()["modules"]
    end = len(name)
    while end > 0:
        prefix = name[:end]
        if prefix in modules:
            shown = modules[prefix]
            rest = name[end:]
            return f"npu.{shown}{rest}" if shown else f"npu{rest}"
        end = name.rfind(".", 0, end)
    return name
