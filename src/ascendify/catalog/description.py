"""Describe one API with everything the catalogue knows about it."""

from __future__ import annotations

from dataclasses import dataclass

from ascendify.catalog import (
    names,
    native_keras,
    signatures,
    support,
    torch_npu,
    torch_npu_names,
    types,
)
from ascendify.catalog._data import TENSORFLOW, TENSORFLOW2, framework
from ascendify.catalog.torch_releases import Release

_RELEASES = {TENSORFLOW: "TensorFlow 1.15", TENSORFLOW2: "TensorFlow 2"}
"""The frameworks in which one name may mean different things."""


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
    """What to do about a name of CUDA that has no counterpart on an NPU."""
    npu_name: str = ""
    """For names of torch_npu and of CUDA: the name whose releases are known, else empty."""
    release: str = ""
    """For names of TensorFlow: the release that the description is about, else empty."""
    lacking: str = ""
    """For a name of TensorFlow 2: the release that lacks it; empty if every release has it."""

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


def describe_all(api: str) -> list[ApiDescription]:
    """Describe an API in each release of TensorFlow, and other names once."""
    found = [describe(api)]
    if api.partition(".")[0] in ("tf", "tensorflow", "keras"):
        found.append(describe(api, TENSORFLOW2))
    return [item for item in found if item is not None]


def describe(api: str, release: str = TENSORFLOW) -> ApiDescription | None:
    """What is known of an API under any of its names, None when nothing is.

    ``release`` is that of the code in which the name stands, for names of TensorFlow.
    """
    requested = _requested(api, release)
    name = (
        native_keras.canonical(requested, release)
        if requested.startswith("keras.")
        else names.canonical(requested, release)
    )
    if name.startswith("hvd."):
        name = "horovod.tensorflow" + name[len("hvd") :]
    verdict = support.lookup(requested) or support.lookup(name)
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
        release=_RELEASES.get(release if name.startswith("tf.") else framework(name) or "", ""),
        lacking=names.lacking(name),
    )


def _requested(api: str, release: str) -> str:
    """The name in TensorFlow 2's tables for what users write as ``tf.`` or ``tensorflow.``."""
    root, dot, rest = api.partition(".")
    in_tf2 = release == TENSORFLOW2 and root in ("tf", "tensorflow")
    return f"tf2{dot}{rest}" if in_tf2 else api


def _on_npu(name: str) -> tuple[str | None, str]:
    """The name to write for an NPU instead of a PyTorch name, and advice where there is none."""
    if not name.startswith(("torch.", "apex.")):
        return None, ""
    return torch_npu.counterpart(name), torch_npu.advice(name)
