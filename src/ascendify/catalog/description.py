"""Everything the catalogue knows of one API, in one answer."""

from __future__ import annotations

from dataclasses import dataclass

from ascendify.catalog import names, signatures, support, torch_npu, types


@dataclass(frozen=True)
class ApiDescription:
    """What ``ascendify api NAME`` prints."""

    api: str
    """The canonical name."""
    support: support.Support | None
    """The vendor's verdict, None when it does not list the API."""
    signature: signatures.Signature | None
    bases: tuple[str, ...]
    """Public base classes, nearest first; empty for anything but a class."""
    aliases: tuple[str, ...]
    """Other public names of the same object."""
    returns: str | None
    """The kind a call gives, None when it is not known."""
    counterpart: str | None = None
    """For names of CUDA: what to write for an NPU, None when there is nothing."""
    advice: str = ""
    """For names of CUDA without a counterpart: what to do."""

    @property
    def signature_text(self) -> str:
        """``tf.Session(target='', graph=None, config=None)``, empty when it is not known."""
        return "" if self.signature is None else str(self.signature)


def describe(api: str) -> ApiDescription | None:
    """What is known of an API under any of its names, None when nothing is."""
    name = names.canonical(api)
    if name.startswith("hvd."):
        name = "horovod.tensorflow" + name[len("hvd") :]
    verdict = support.lookup(api) or support.lookup(name)
    signature = signatures.signature(name)
    counterpart, advice = _on_npu(name)
    known = counterpart or signature is not None or types.is_class(name)
    if verdict is None and not known:
        return None
    # A contrib package is listed as a whole, so its verdict alone does not prove the name exists.
    of_package = verdict is not None and name.startswith(verdict.api + ".")
    if of_package and signature is None and name.startswith("tf."):
        return None
    return ApiDescription(
        api=name,
        support=verdict,
        signature=signature,
        bases=types.bases(name),
        aliases=names.aliases(name),
        returns=types.returns(name),
        counterpart=counterpart,
        advice=advice,
    )


def _on_npu(name: str) -> tuple[str | None, str]:
    """What stands for a PyTorch name on an NPU, and what to do where nothing does."""
    if not name.startswith(("torch.", "apex.")):
        return None, ""
    return torch_npu.counterpart(name), torch_npu.advice(name)
