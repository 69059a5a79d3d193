"""Describe one API with everything the catalogue knows about it."""

from __future__ import annotations

from dataclasses import dataclass

from ascendify.catalog import names, signatures, support, torch_npu, torch_npu_names, types
from ascendify.catalog.torch_releases import Release


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
    """The type of the result of a call, None when it is not known."""
    counterpart: str | None = None
    """For names of CUDA: the name to write for an NPU, None when there is none."""
    advice: str = ""
    """For names of CUDA without a counterpart: what to do."""
    npu_name: str = ""
    """For names of torch_npu and of CUDA: the name whose releases are known, else empty."""

    @property
    def signature_text(self) -> str:
        """``tf.Session(target='', graph=None, config=None)``, empty when it is not known."""
        return "" if self.signature is None else str(self.signature)

    def signature_in(self, release: Release) -> str:
        """The signature of a name of torch_npu as a release writes it, empty where it is not known.

        A name of CUDA has its own signature, whatever the release.
        """
        if self.npu_name != self.api:
            return ""
        return torch_npu_names.shown(self.api, release.signature(self.api))


def describe(api: str) -> ApiDescription | None:
    """What is known of an API under any of its names, None when nothing is."""
    name = names.canonical(api)
    if name.startswith("hvd."):
        name = "horovod.tensorflow" + name[len("hvd") :]
    verdict = support.lookup(api) or support.lookup(name)
    signature = signatures.signature(name)
    counterpart, advice = _on_npu(name)
    npu_name = next(filter(torch_npu_names.is_known, filter(None, (name, counterpart))), "")
    known = counterpart or npu_name or signature is not None or types.is_class(name)
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
        npu_name=npu_name,
    )


def _on_npu(name: str) -> tuple[str | None, str]:
    """The name to write for an NPU instead of a PyTorch name, and advice where there is none."""
    if not name.startswith(("torch.", "apex.")):
        return None, ""
    return torch_npu.counterpart(name), torch_npu.advice(name)
