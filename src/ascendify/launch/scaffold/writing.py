"""Make the files of a scaffold and write them to a project."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ascendify.catalog.launch_tuning import TuningVariable
from ascendify.cluster import inventory, ranktable
from ascendify.errors import UsageError
from ascendify.programs.program import Program

TENSORFLOW, PYTORCH = "tensorflow", "pytorch"
_TEMPLATES = Path(__file__).parent / "templates"
_NAME = re.compile(r"[A-Za-z0-9._-]+")
_KINDS = {"full": "Train to the end", "performance": "Measure the speed"}
_ENTRIES = {"modelarts_entry_acc.py": "full", "modelarts_entry_perf.py": "performance"}
"""File names of the programs that ModelArts starts, as in the vendor's guides."""
SCRIPT_SWITCHES = (
    "batch_size", "precision_mode", "over_dump", "over_dump_path", "data_dump_flag",
    "data_dump_step", "data_dump_path", "profiling", "profiling_dump_path", "use_mixlist",
    "mixlist_file", "fusion_off_flag", "fusion_off_file", "autotune", "servers", "server_index",
)  # fmt: skip
"""Options of common.sh, besides the path of the data."""
_ALONE = """\
# NOTE: nothing in {entry} averages gradients over devices. This script trains {devices}
# models, each on its own device and apart from the others; it is no data-parallel training.
# 'ascendify migrate --distributed' adds the averaging.
"""
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
    program: Program
    framework: str
    name: str = ""
    """The folder of its scripts below ``test``; empty for the project's main program."""
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
    devices: int = 8
    """Devices of the scripts for several; 1 for scripts for one device only."""

    def __post_init__(self) -> None:
        """Refuse names that cannot be part of a file name."""
        if _NAME.fullmatch(self.network) is None:
            raise UsageError(
                f"--network {self.network} cannot be part of a file's name",
                "use letters, digits, . - and _",
            )

    @property
    def folder(self) -> str:
        """The folder of its scripts, from the root of the project."""
        return f"test/{self.name}" if self.name else "test"

    @property
    def counts(self) -> tuple[int, ...]:
        """The numbers of devices that there are scripts for."""
        return (1, self.devices) if self.devices > 1 else (1,)

    @property
    def trained_counts(self) -> tuple[int, ...]:
        """The numbers of devices that train one model; several only with averaged gradients."""
        return self.counts if self.program.averages else (1,)


def network_of(project: Path) -> str:
    """Return the default name of a project's network."""
    return re.sub(r"[^A-Za-z0-9._-]+", "_", project.resolve().name) or "network"


def files(scaffolds: Sequence[Scaffold], tuning: Sequence[TuningVariable] = ()) -> dict[str, str]:
    """Return every file of some sets of scripts by its path in the project.

    The first set stands in ``test``, each other one in a folder below it. The environment of all
    has the variables of ``tuning``.
    """
    first = scaffolds[0]
    made: dict[str, str] = {}
    for scaffold in scaffolds:
        made.update(_scripts(scaffold))
    made["test/common.sh"] = _fill("common.sh", {"DEVICES": str(first.devices)})
    made["test/env.sh"] = _fill("env.sh", {"TUNING": _tuning(tuning)})
    made["test/README.md"] = _readme(scaffolds)
    for name, kind in _ENTRIES.items():
        facts = {
            "KIND": kind,
            "WHAT": _KINDS[kind].lower(),
            "COUNTS": repr(list(first.counts)),
            "SWITCHES": _lines_of_names(SCRIPT_SWITCHES),
        }
        made[name] = _fill("modelarts_entry.py.txt", facts)
    if first.devices > 1:
        made[f"configs/rank_table_{first.devices}p.json"] = _table(1, first.devices)
        many = f"configs/rank_table_{first.servers}x{first.devices}.json"
        made[many] = _table(first.servers, first.devices)
    return made


def _tuning(variables: Sequence[TuningVariable]) -> str:
    """Lines that set variables for a faster training, each below what must hold for it."""
    if not variables:
        return ""
    about = "# training is faster with these, and its numbers are the same"
    lines = [line for item in variables for line in (f"# {item.condition}", item.export)]
    return "\n".join(["", about, *lines])


def _scripts(scaffold: Scaffold) -> Iterator[tuple[str, str]]:
    for count in scaffold.counts:
        alone = count > 1 and not scaffold.program.averages
        note = _ALONE.format(entry=scaffold.program.path, devices=count) if alone else ""
        for kind, what in _KINDS.items():
            name = f"train_{kind}_{count}p.sh"
            facts = {
                "WHAT": f"{what} on {count} device{'s' * (count > 1)}",
                "NAME": name,
                "KIND": kind,
                "DEVICES": str(count),
                "EXAMPLE": _example(scaffold),
                "NOTE": note,
                "ABOVE": "../" if scaffold.name else "",
            }
            yield f"{scaffold.folder}/{name}", _fill("train.sh", facts)
    yield f"{scaffold.folder}/settings.sh", _fill("settings.sh", _settings(scaffold))


def _example(scaffold: Scaffold) -> str:
    return " --data_path=/data" if scaffold.data is not None else ""


def _readme(scaffolds: Sequence[Scaffold]) -> str:
    first = scaffolds[0]
    scripts = [
        f"| `train_{kind}_{count}p.sh` | {_count_text(count)} | {length} |"
        for count in first.counts
        for kind, length in (("full", "to the end"), ("performance", "shortly, to see the speed"))
    ]
    programs = [
        f"| `{item.folder}/` | `{item.program.path}` | {_averaging(item)} |" for item in scaffolds
    ]
    return _fill(
        "README.md",
        {
            "NETWORK_TEXT": first.network,
            "ENTRY_TEXT": first.program.path,
            "EXAMPLE": _example(first),
            "SERVERS": str(first.servers),
            "DEVICES": str(first.counts[-1]),
            "SCRIPTS": "\n".join(scripts),
            "PROGRAMS": "\n".join(programs),
            "SWITCHES": _SWITCHES[first.framework],
        },
    )


def _count_text(count: int) -> str:
    return f"{count}, or N servers of {count}" if count > 1 else "1"


def _averaging(scaffold: Scaffold) -> str:
    averages = scaffold.program.averages
    return f"averaged by {averages}" if averages else "not averaged: one device only"


def _lines_of_names(names: Iterable[str]) -> str:
    return "".join(f"\n    {name!r}," for name in names) + "\n"


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


def _working_folder(program: Program) -> str:
    # a notebook runs in its own folder
    return (program.path.rpartition("/")[0] if program.notebook else program.folder) or "."


def _settings(scaffold: Scaffold) -> dict[str, str]:
    program = scaffold.program
    size = scaffold.batch_size
    return {
        "NETWORK": shlex.quote(scaffold.network),
        "FRAMEWORK": scaffold.framework,
        "PYTHON": _in_double_quotes(scaffold.python),
        "ENTRY": shlex.quote(program.path),
        "MODULE": shlex.quote(program.module),
        "FOLDER": shlex.quote(_working_folder(program)),
        "SEARCH_PATH": _array(program.search_path),
        "AVERAGES": str(int(bool(program.averages))),
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


def _table(servers: int, devices: int) -> str:
    return ranktable.dump(ranktable.create(inventory.from_counts(servers, devices), "1.0"))


def _fill(name: str, facts: Mapping[str, str]) -> str:
    """Fill the placeholders of a template in one pass; none is replaced inside a value."""
    text = (_TEMPLATES / name).read_text(encoding="utf-8")
    return re.sub("@([A-Z_]+)@", lambda found: facts[found[1]], text)
