"""The folder of a training run: network, settings, and the paths of its files."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ascendify.errors import UsageError
from ascendify.zoo import files, networks, settings
from ascendify.zoo.recipe import Recipe
from ascendify.zoo.training import checkpoints

_CONFIG = "config.json"


@dataclass(frozen=True)
class TrainingRun:
    """A network, its settings and its folder."""

    network: str
    """As on the command line."""
    folder: Path
    config: Any
    source: Path | None = None
    """The user's data; None where samples are rendered."""

    @property
    def recipe(self) -> Recipe[Any]:
        """The recipe of the network."""
        return networks.find(self.network)(self.config)

    @property
    def checkpoints(self) -> Path:
        """The folder of the checkpoints."""
        return _checkpoints(self.folder)

    @property
    def result(self) -> Path:
        """The file of the run's result."""
        return self.folder / "result.json"

    def file_error(self, error: OSError) -> UsageError:
        """Convert an error of a file of the run, or of its data, to a message for the user."""
        place = Path(str(error.filename or self.folder))
        reason = f"{error.strerror or error}"
        again = "--resume goes on from the last checkpoint, if there is one"
        if self.folder in (place, *place.parents):
            hint = f"make room, or name another --out; {again}"
            return UsageError(f"{place} cannot be written: {reason}", hint)
        return UsageError(f"{place} cannot be read: {reason}", again)

    def save(self) -> None:
        """Write network and settings to the run's folder."""
        document = {
            "network": self.network,
            "source": None if self.source is None else str(self.source.resolve()),
            "config": settings.to_dict(self.config),
        }
        write_json(self.folder / _CONFIG, document)


def _checkpoints(folder: Path) -> Path:
    return folder / "checkpoints"


_PRESET = "transfer"
"""Preset of networks that start with other weights than the guide's, where they have one."""


@dataclass(frozen=True)
class TransferRequest:
    """The weights that a training starts with, as the command line requests."""

    init: Path | None = None
    exclude: Sequence[str] = ()
    classes: int | None = None

    @property
    def overrides(self) -> tuple[str, ...]:
        """The request as settings."""
        given = {
            "transfer.init": self.init and self.init.resolve(),
            "transfer.exclude": ",".join(self.exclude) or None,
            "model.classes": self.classes,
        }
        return tuple(f"{name}={value}" for name, value in given.items() if value is not None)


@dataclass(frozen=True)
class TrainingRequest:
    """The run that the command line requests."""

    network: str
    folder: Path
    preset: str | None = None
    file: Path | None = None
    overrides: Sequence[str] = ()
    source: Path | None = None
    resume: bool = False
    transfer: TransferRequest = TransferRequest()


def plan(request: TrainingRequest) -> TrainingRun:
    """Return the requested run; nothing is written yet.

    Raises:
        UsageError: the request is not valid, or the folder has a trained model already.
    """
    if request.source is not None:
        check_source(request.source)
    if request.folder.exists() and not request.folder.is_dir():
        raise UsageError(f"--out {request.folder} is not a folder", "name another")
    if checkpoints.latest(_checkpoints(request.folder)) is not None:
        return _resume(request)
    return TrainingRun(request.network, request.folder, _config(request), request.source)


def check_source(folder: Path) -> None:
    """Refuse data that does not exist.

    Raises:
        UsageError: it is not a folder.
    """
    if not folder.is_dir():
        raise UsageError(f"--data {folder} is not a folder", "name the folder of the data")


def _config(request: TrainingRequest) -> Any:
    """Return the settings: those of the preset, the file and the command line, in this order."""
    recipe = networks.find(request.network)
    preset = request.preset
    if preset is None and request.transfer.init is not None and _PRESET in recipe.presets():
        preset = _PRESET
    config = networks.preset(recipe, preset)
    if request.transfer.overrides and not hasattr(config, "transfer"):
        raise UsageError(
            f"{request.network} cannot start with weights of another training",
            "leave --init, --exclude and --num-classes out",
        )
    if request.file is not None:
        config = settings.merge(config, _values(request.file, request.network), str(request.file))
    return settings.override(config, (*request.transfer.overrides, *request.overrides))


def find(folder: Path) -> TrainingRun:
    """Return the run of a folder.

    Raises:
        UsageError: there is none.
    """
    path = folder / _CONFIG
    if not path.exists():
        raise UsageError(
            f"{folder} is not a run: it has no {_CONFIG}", "name the --out of a training"
        )
    document = settings.read(path)
    kinds = {"network": (str,), "source": (str, type(None)), "config": (dict,)}
    for name, kind in kinds.items():
        if not isinstance(document.get(name, ...), kind):
            raise UsageError(
                f"{path} is not what a training wrote: {name} is "
                + ("missing" if name not in document else f"{document[name]!r:.40}"),
                "name the --out of a training",
            )
    network, source, values = (document[name] for name in kinds)
    config = settings.merge(networks.preset(networks.find(network), None), values, str(path))
    return TrainingRun(network, folder, config, None if source is None else Path(source))


def _resume(request: TrainingRequest) -> TrainingRun:
    """Return a run that resumes, possibly with more steps, but with the same model."""
    if not request.resume:
        raise UsageError(
            f"{request.folder} has a run already", "--resume goes on with it; or name another --out"
        )
    before = find(request.folder)
    if before.network != request.network:
        raise UsageError(
            f"{request.folder} is a run of {before.network}, not of {request.network}",
            "name that network, or another --out",
        )
    config = settings.override(before.config, (*request.transfer.overrides, *request.overrides))
    if request.preset is not None or request.file is not None:
        config = _config(request)
    if config.model != before.config.model:
        raise UsageError(
            f"the model of {request.folder} is trained already, and cannot be changed",
            "leave out what changes model., or name another --out",
        )
    kind, kept = config.train.optimizer.kind, before.config.train.optimizer.kind
    if kind != kept:
        raise UsageError(
            f"{request.folder} has the moments of {kept}, with which {kind} cannot go on",
            "leave out what changes train.optimizer.kind, or name another --out",
        )
    return TrainingRun(request.network, request.folder, config, request.source or before.source)


def _values(path: Path, network: str) -> dict[str, Any]:
    """Read the settings in a file: the config.json of a run, or a file of the user's."""
    found = settings.read(path)
    values = found.get("config")
    if not isinstance(values, dict) or "network" not in found:
        return found
    if found["network"] != network:
        raise UsageError(
            f"{path} is of a run of {found['network']}, not of {network}", "name another file"
        )
    return values


def write_json(path: Path, document: Any) -> None:
    """Write JSON; if that fails, the old file is unchanged."""
    files.write_text(path, json.dumps(document, indent=2) + "\n")
