"""Give some library functions the unpatched torch.cuda.is_available after transfer_to_npu."""

import functools
import importlib.metadata
import json
from pathlib import Path

import torch

from .._distributed.import_hooks import after_import


def install(is_available):
    """Make the listed functions of installed libraries use the unpatched is_available."""
    listed = json.loads((Path(__file__).parent / "data" / "shielded.json").read_text())
    for package, entry in listed.items():
        if not _is_installed(package, entry["since"]):
            continue
        for path in entry["functions"]:
            module, _, name = path.rpartition(".")
            after_import(module, lambda found, name=name: _wrap(found, name, is_available))
        for path in entry["methods"]:
            owner, _, name = path.rpartition(".")
            module, _, kind = owner.rpartition(".")
            after_import(
                module,
                lambda found, kind=kind, name=name: _wrap(
                    getattr(found, kind, None), name, is_available
                ),
            )


def _is_installed(package, since):
    try:
        version = importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return False
    return _numbers(version) >= _numbers(since)


def _numbers(version):
    parts = []
    for part in version.split(".")[:3]:
        digits = "".join(character for character in part if character.isdigit())
        parts.append(int(digits or 0))
    return parts


def _wrap(owner, name, is_available):
    function = getattr(owner, name, None) if owner is not None else None
    if function is None:
        return

    @functools.wraps(function)
    def shielded(*arguments, **named):
        replaced, torch.cuda.is_available = torch.cuda.is_available, is_available
        try:
            return function(*arguments, **named)
        finally:
            torch.cuda.is_available = replaced

    setattr(owner, name, shielded)
