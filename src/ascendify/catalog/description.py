"""Everything the catalogue knows of one API, in one answer."""

from __future__ import annotations

from dataclasses import dataclass

from ascendify.catalog import names, signatures, support, types


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
    if verdict is None and signature is None and not types.is_class(name):
        return None
    # A contrib package is listed as a whole, so its verdict alone does not prove the name exists.
    if verdict is not None and name.startswith(verdict.api + ".") and signature is None:
        return None
    return ApiDescription(
        api=name,
        support=verdict,
        signature=signature,
        bases=types.bases(name),
        aliases=names.aliases(name),
        returns=types.returns(name),
    )
