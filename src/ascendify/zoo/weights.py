"""Weights that a training starts with: of a run, of torchvision or timm, of BiT's authors."""

from __future__ import annotations

import pickle
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from ascendify.errors import UsageError
from ascendify.zoo import trained_model
from ascendify.zoo.runs import find

Weights = Mapping[str, Tensor]

_INSIDE = ("state_dict_ema", "ema", "state_dict", "model_state_dict", "model", "module")
"""Where trainers keep the weights in a file, the averaged ones first."""
_PREFIXES = ("module.", "_orig_mod.")
"""Put before each name by DistributedDataParallel and torch.compile."""
_COUNTERS = "num_batches_tracked"
_DAMAGES = (
    *(OSError, EOFError, RuntimeError, ValueError, LookupError, AttributeError, TypeError),
    *(zipfile.BadZipFile, pickle.UnpicklingError),
)
"""What the readers raise for files that are damaged or of another kind."""


def read(path: Path) -> dict[str, Tensor]:
    """Read the weights in a file, or the best ones of a run's folder, by their names.

    Raises:
        UsageError: there are none.
    """
    if path.is_dir():
        path = trained_model.find(find(path), "best")
    if not path.is_file():
        raise UsageError(f"--init {path}: there is no such file", "name a checkpoint or a run")
    try:
        found = _READERS.get(path.suffix.lower(), _read_torch)(path)
    except _DAMAGES as error:
        reason = str(error).partition("\n")[0] or type(error).__name__
        raise UsageError(
            f"--init {path} cannot be read: {reason}",
            "name a checkpoint of torch, a .safetensors or an .npz; copy it again if it is one",
        ) from error
    weights = {_plain(name): value for name, value in found.items() if isinstance(value, Tensor)}
    if not weights:
        there = ", ".join(map(str, list(found)[:5])) or "nothing"
        raise UsageError(
            f"--init {path} has no weights: it has {there}",
            "name a file with a model's state_dict",
        )
    return weights


def load(model: nn.Module, weights: Weights, exclude: Iterable[str], source: str) -> None:
    """Put weights into a model by name; parts that are excluded keep their first values.

    Raises:
        UsageError: a weight is missing, or has another shape.
    """
    excluded = tuple(f"{part}." for part in exclude)
    own = model.state_dict()
    wanted = {name for name in own if not f"{name}.".startswith(excluded)} if excluded else set(own)
    missing = sorted(n for n in wanted - set(weights) if not n.endswith(_COUNTERS))
    if missing:
        others = sorted(set(weights) - set(own))
        raise UsageError(
            f"--init {source} has no {missing[0]}"
            + (f" (nor {len(missing) - 1} others)" if len(missing) > 1 else ""),
            f"it has {', '.join(others[:3]) or 'fewer weights'}: it is of another network, or"
            " --exclude names a part too few",
        )
    for name in sorted(wanted & set(weights)):
        if weights[name].shape != own[name].shape:
            there, here = (tuple(each.shape) for each in (weights[name], own[name]))
            raise UsageError(
                f"--init {source}: {name} is {there}, and the model's is {here}",
                "--exclude head starts the last layer anew, for other classes",
            )
    model.load_state_dict({**own, **{name: weights[name] for name in wanted & set(weights)}})


def _plain(name: str) -> str:
    """Return a name without what wrappers put before it."""
    for prefix in _PREFIXES:
        name = name.removeprefix(prefix)
    return name


def _read_torch(path: Path) -> Mapping[str, Any]:
    state: Any = torch.load(path, map_location="cpu", weights_only=True)
    for _ in range(3):
        if not isinstance(state, Mapping):
            raise ValueError(f"it holds {type(state).__name__}, and not weights by name")
        inner = next((state[key] for key in _INSIDE if isinstance(state.get(key), Mapping)), None)
        if inner is None:
            break
        state = inner
    return state  # type: ignore[no-any-return]


def _read_safetensors(path: Path) -> Mapping[str, Any]:
    from safetensors.torch import load_file  # noqa: PLC0415 - only for these files

    return load_file(path)


def _read_npz(path: Path) -> Mapping[str, Any]:
    with np.load(path, allow_pickle=False) as arrays:
        return {name: torch.from_numpy(arrays[name]) for name in arrays.files}


_READERS = {".npz": _read_npz, ".safetensors": _read_safetensors}
