"""The options of ``ascendify port``, checked before anything is written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from ascendify.errors import UsageError
from ascendify.port import record as records
from ascendify.port.record import PortRecord

DEFAULT_DEVICES = 8
REMEMBERED = (
    "devices",
    "programs",
    "framework",
    "main",
    "exclude",
    "style",
    "transfer",
    "npu",
    "torch_npu",
    "dynamic_rnn",
    "tune",
    "keras",
)
"""Options that an update takes over from the last run unless they are given again."""


@dataclass(frozen=True)
class PortRequest:
    """What to port, to where, and how; None for what the user did not say."""

    project: Path
    output: Path
    devices: int | None = None
    """Devices of a server that the launch scripts use; 1 for training on one device only."""
    programs: tuple[str, ...] = ()
    """Programs to write launch scripts for; empty for all that train."""
    framework: str | None = None
    main: Path | None = None
    exclude: tuple[str, ...] = ()
    style: str | None = None
    """For PyTorch: whether every CUDA call is rewritten, or torch_npu's switch is used."""
    transfer: tuple[str, ...] = ()
    """For PyTorch: scripts that import that switch although every CUDA call is rewritten."""
    npu: Mapping[str, object] = field(default_factory=dict, hash=False)
    """NPU options by name."""
    torch_npu: str | None = None
    dynamic_rnn: bool | None = None
    """Whether recurrent networks use the NPU's own operator."""
    tune: bool | None = None
    """Whether PyTorch code is made faster as well."""
    keras: str | None = None
    """The release of the keras package that the original trains with."""
    jobs: int | None = None
    before: PortRecord | None = field(default=None, repr=False)
    """The record of the port that is there already; None for a new one."""

    @property
    def count(self) -> int:
        """The number of devices, the default where none is given."""
        return DEFAULT_DEVICES if self.devices is None else self.devices

    @property
    def remembered(self) -> dict[str, object]:
        """The options that the record keeps for the next update."""
        values = {name: getattr(self, name) for name in REMEMBERED}
        values["main"] = None if self.main is None else str(self.main)
        return {name: _plain(value) for name, value in values.items() if value}


def _plain(value: object) -> object:
    """A value in a form that JSON can store."""
    if isinstance(value, tuple):
        return list(value)
    return dict(value) if isinstance(value, Mapping) else value


def complete(request: PortRequest) -> PortRequest:
    """Check where to write, and add what the last run of this port was given.

    Raises:
        UsageError: the project is no folder, or the output is something else than a port.
    """
    if not request.project.is_dir():
        raise UsageError(f"{request.project} is not a folder", "name the folder of a project")
    output = request.output
    if output.exists() and not output.is_dir():
        raise UsageError(f"the output {output} is not a directory", "give a folder")
    before = records.read(output)
    if before is None:
        if output.is_dir() and any(output.iterdir()):
            raise UsageError(
                f"the output {output} is not empty, and 'ascendify port' did not write it",
                "give a new folder; a port that is there is updated",
            )
        return request
    kept = before.options
    return replace(
        request,
        before=before,
        devices=request.devices or _kept_int(kept, "devices"),
        programs=request.programs or _kept_names(kept, "programs"),
        framework=request.framework or _kept_text(kept, "framework"),
        main=request.main or _kept_path(kept),
        exclude=request.exclude or _kept_names(kept, "exclude"),
        style=request.style or _kept_text(kept, "style"),
        transfer=request.transfer or _kept_names(kept, "transfer"),
        npu={**_kept_options(kept), **request.npu},
        torch_npu=request.torch_npu or _kept_text(kept, "torch_npu"),
        keras=request.keras or _kept_text(kept, "keras"),
        dynamic_rnn=_flag(request.dynamic_rnn, kept, "dynamic_rnn"),
        tune=_flag(request.tune, kept, "tune"),
    )


def _kept_int(kept: Mapping[str, object], name: str) -> int | None:
    value = kept.get(name)
    return value if isinstance(value, int) else None


def _flag(given: bool | None, kept: Mapping[str, object], name: str) -> bool | None:
    value = kept.get(name) if given is None else given
    return value if isinstance(value, bool) else None


def _kept_text(kept: Mapping[str, object], name: str) -> str | None:
    value = kept.get(name)
    return value if isinstance(value, str) else None


def _kept_path(kept: Mapping[str, object]) -> Path | None:
    value = _kept_text(kept, "main")
    return None if value is None else Path(value)


def _kept_names(kept: Mapping[str, object], name: str) -> tuple[str, ...]:
    value = kept.get(name)
    return tuple(map(str, value)) if isinstance(value, list) else ()


def _kept_options(kept: Mapping[str, object]) -> dict[str, object]:
    value = kept.get("npu")
    return dict(value) if isinstance(value, dict) else {}
