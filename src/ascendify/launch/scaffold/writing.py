"""Make the files of a scaffold and write them to a project."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ascendify.cluster import inventory, ranktable
from ascendify.errors import UsageError

TENSORFLOW, PYTORCH = "tensorflow", "pytorch"
_TEMPLATES = Path(__file__).parent / "templates"
_NAME = re.compile(r"[A-Za-z0-9._-]+")
_SCRIPTS = {
    "train_full_1p.sh": ("full", 1, "Train to the end on 1 device"),
    "train_performance_1p.sh": ("performance", 1, "Measure the speed on 1 device"),
    "train_full_8p.sh": ("full", 8, "Train to the end on 8 devices"),
    "train_performance_8p.sh": ("performance", 8, "Measure the speed on 8 devices"),
}
_SWITCHES = {
    TENSORFLOW: """\
They become the environment of `npu_options.py`, which `ascendify migrate` writes beside the script
when an NPU option is given, and which checks them and puts them into the options of the session, or
of npu_device with TensorFlow 2.

| Switch | Options |
|---|---|
| `--precision_mode=MODE` | `precision_mode` |
| `--over_dump=True`, `--over_dump_path` | `enable_dump_debug`, `dump_debug_mode`, `dump_path` |
| `--data_dump_flag=True`, `--data_dump_path` | `enable_dump`, `dump_mode`, `dump_path` |
| `--data_dump_step=STEPS` | `dump_step` |
| `--profiling=True`, `--profiling_dump_path` | `profiling_mode`, `profiling_options` |
| `--use_mixlist=True`, `--mixlist_file` | `modify_mixlist` |
| `--fusion_off_flag=True`, `--fusion_off_file` | `fusion_switch_file` |
| `--autotune=True` | `aoe_mode`, `work_path` |""",
    PYTORCH: """\
`--profiling=True` runs the training under `msprof`. The others are calls of torch_npu in the
script, which cannot be made from outside; such a switch is refused, with the call to make.""",
}


@dataclass(frozen=True)
class Scaffold:
    """Everything that differs between the launch scripts of projects."""

    network: str
    entry: str
    """From the project's folder."""
    framework: str
    python: str = "python3"
    data: str | None = None
    """Written in front of the path of the data; see ``ScriptOptions.data``."""
    batch: str | None = None
    batch_size: int | None = None
    batch_of_all: bool = False
    """Whether the script takes the batch of all devices together."""
    common: tuple[str, ...] = ()
    """Arguments of the script, always."""
    full: tuple[str, ...] = ()
    performance: tuple[str, ...] = ()
    starts_ranks: bool = False
    servers: int = 2
    """Number of servers in the larger rank table."""

    def __post_init__(self) -> None:
        """Refuse names that cannot be part of a file name."""
        if _NAME.fullmatch(self.network) is None:
            raise UsageError(
                f"--network {self.network} cannot be part of a file's name",
                "use letters, digits, . - and _",
            )


def network_of(project: Path) -> str:
    """Return the default name of a project's network."""
    return re.sub(r"[^A-Za-z0-9._-]+", "_", project.resolve().name) or "network"


def files(scaffold: Scaffold) -> dict[str, str]:
    """Return every file by its path in the project."""
    example = " --data_path=/data" if scaffold.data is not None else ""
    made = {
        f"test/{name}": _fill(
            "train.sh",
            {
                "WHAT": what,
                "NAME": name,
                "KIND": kind,
                "DEVICES": str(devices),
                "EXAMPLE": example,
            },
        )
        for name, (kind, devices, what) in _SCRIPTS.items()
    }
    made["test/common.sh"] = _fill("common.sh", {})
    made["test/env.sh"] = _fill("env.sh", {})
    made["test/settings.sh"] = _fill("settings.sh", _settings(scaffold))
    made["test/README.md"] = _fill(
        "README.md",
        {
            "NETWORK_TEXT": scaffold.network,
            "ENTRY_TEXT": scaffold.entry,
            "EXAMPLE": example,
            "SERVERS": str(scaffold.servers),
            "SWITCHES": _SWITCHES[scaffold.framework],
        },
    )
    made["configs/rank_table_8p.json"] = _table(1)
    made[f"configs/rank_table_{scaffold.servers}x8.json"] = _table(scaffold.servers)
    return made


def write(project: Path, made: Mapping[str, str], *, force: bool) -> None:
    """Write files to a project, each completely or not at all.

    Raises:
        UsageError: some are there already and may not be replaced.
    """
    there = [name for name in made if (project / name).exists()]
    if there and not force:
        more = f" and {len(there) - 1} others" if len(there) > 1 else ""
        raise UsageError(f"{project / there[0]}{more} exist already", "--force replaces them")
    for name, text in made.items():
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f".{path.name}.{os.getpid()}")
        part.write_text(text, encoding="utf-8")
        part.chmod(0o755 if name.endswith("p.sh") else 0o644)
        part.replace(path)


def _settings(scaffold: Scaffold) -> dict[str, str]:
    size = scaffold.batch_size
    return {
        "NETWORK": shlex.quote(scaffold.network),
        "FRAMEWORK": scaffold.framework,
        "PYTHON": _in_double_quotes(scaffold.python),
        "ENTRY": shlex.quote(scaffold.entry),
        "TAKES_DATA": str(int(scaffold.data is not None)),
        "DATA_OPTION": shlex.quote(scaffold.data or ""),
        "BATCH_OPTION": shlex.quote(scaffold.batch or ""),
        "BATCH_SIZE": shlex.quote("" if size is None else str(size)),
        "BATCH_OF_ALL": str(int(scaffold.batch_of_all)),
        "COMMON_ARGUMENTS": _array(scaffold.common),
        "FULL_ARGUMENTS": _array(scaffold.full),
        "PERFORMANCE_ARGUMENTS": _array(scaffold.performance),
        "STARTS_RANKS": str(int(scaffold.starts_ranks)),
    }


def _array(arguments: Iterable[str]) -> str:
    return shlex.join(arguments)


def _in_double_quotes(text: str) -> str:
    return re.sub(r'([\\"$`}])', r"\\\1", text)


def _table(servers: int) -> str:
    return ranktable.dump(ranktable.create(inventory.from_counts(servers, 8), "1.0"))


def _fill(name: str, facts: Mapping[str, str]) -> str:
    """Fill the placeholders of a template in one pass; none is replaced inside a value."""
    text = (_TEMPLATES / name).read_text(encoding="utf-8")
    return re.sub("@([A-Z_]+)@", lambda found: facts[found[1]], text)
