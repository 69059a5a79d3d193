"""Options that several commands share, with one meaning in all of them."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Optional

import typer


class Format(str, enum.Enum):
    """How a report is written."""

    TEXT = "text"
    JSON = "json"
    SARIF = "sarif"
    XLSX = "xlsx"
    GITHUB = "github"


class ListFormat(str, enum.Enum):
    """How a list is written."""

    TEXT = "text"
    JSON = "json"


class Distributed(str, enum.Enum):
    """How a distributed project is migrated."""

    AUTO = "auto"
    ADD = "add"
    HOROVOD = "horovod"
    TF_STRATEGY = "tf_strategy"
    NONE = "none"


class Framework(str, enum.Enum):
    """The framework a project trains with."""

    TF1 = "tf1"
    TF2 = "tf2"
    TORCH = "torch"


class Style(str, enum.Enum):
    """How PyTorch code is migrated."""

    EXPLICIT = "explicit"
    TRANSFER = "transfer"


_RULES = "Rules"
_REPORT = "Report"
_PROJECT = "Project"

# typer reads these while the program runs, so they are spelled for Python 3.9.
Select = Annotated[
    Optional[list[str]],
    typer.Option(
        "--select",
        metavar="CODES",
        rich_help_panel=_RULES,
        help="Run only these rules: codes or prefixes such as TF1-SESS, separated by commas.",
    ),
]
Ignore = Annotated[
    Optional[list[str]],
    typer.Option(
        "--ignore", metavar="CODES", rich_help_panel=_RULES, help="Leave out these rules."
    ),
]
Exclude = Annotated[
    Optional[list[str]],
    typer.Option(
        "--exclude",
        metavar="GLOBS",
        rich_help_panel=_PROJECT,
        help="Leave out files that match, relative to the project.",
    ),
]
Main = Annotated[
    Optional[Path],
    typer.Option(
        "--main",
        "-m",
        metavar="FILE",
        rich_help_panel=_PROJECT,
        help="The script that starts training, where it cannot be found.",
    ),
]
HowDistributed = Annotated[
    Optional[Distributed],
    typer.Option(
        "--distributed",
        "--distributed_mode",
        "-d",
        rich_help_panel=_PROJECT,
        help="How to migrate distributed training; add: also make a project for one device "
        "data-parallel. Default: what the project uses.",
    ),
]
TrainedWith = Annotated[
    Optional[Framework],
    typer.Option(
        "--framework",
        rich_help_panel=_PROJECT,
        help="What the project trains with: TensorFlow 1, TensorFlow 2 or PyTorch. Default: what "
        "its imports, its calls and its requirements say.",
    ),
]
HowStyled = Annotated[
    Optional[Style],
    typer.Option(
        "--style",
        rich_help_panel=_PROJECT,
        help="PyTorch: rewrite every CUDA call (explicit, the default), or import torch_npu's "
        "transfer_to_npu once and rewrite what it misses (transfer).",
    ),
]
Transferred = Annotated[
    Optional[list[str]],
    typer.Option(
        "--transfer",
        metavar="FILES",
        rich_help_panel=_PROJECT,
        help="PyTorch: scripts that import transfer_to_npu although every CUDA call is rewritten, "
        "for libraries that choose CUDA in their own code.",
        show_default=False,
    ),
]
TorchNpu = Annotated[
    Optional[str],
    typer.Option(
        "--torch-npu",
        metavar="VERSION",
        rich_help_panel=_PROJECT,
        help="PyTorch: the release of torch_npu the NPUs have, such as 2.7.1.post2. Default: the "
        "newest for the PyTorch that the project requires.",
        show_default=False,
    ),
]
Audit = Annotated[
    Optional[Path],
    typer.Option(
        "--audit",
        metavar="FILE",
        rich_help_panel=_REPORT,
        help="Add what `ascendify run --audit FILE` saw this project do.",
    ),
]
IncludeTests = Annotated[
    Optional[bool],
    typer.Option(
        "--include-tests/--no-include-tests",
        rich_help_panel=_PROJECT,
        help="Also migrate unit tests. Default: they stay as they are.",
        show_default=False,
    ),
]
DynamicRnn = Annotated[
    Optional[bool],
    typer.Option(
        "--dynamic-rnn/--no-dynamic-rnn",
        rich_help_panel=_PROJECT,
        help="TensorFlow 1: compute LSTM layers with the NPU's DynamicRNN operator; checkpoints "
        "stay the same. Default: they stay loops over time steps.",
        show_default=False,
    ),
]
FixDrift = Annotated[
    Optional[bool],
    typer.Option(
        "--fix-drift/--no-fix-drift",
        rich_help_panel=_PROJECT,
        help="PyTorch: also rewrite calls that newer releases of the libraries no longer have. "
        "Default: only report them.",
        show_default=False,
    ),
]
Tune = Annotated[
    Optional[bool],
    typer.Option(
        "--tune/--no-tune",
        rich_help_panel=_PROJECT,
        help="PyTorch: also rewrite what trains the same numbers faster on an NPU. Default: only "
        "report it.",
        show_default=False,
    ),
]
Jobs = Annotated[
    Optional[int],
    typer.Option("--jobs", "-j", metavar="N", help="Worker processes. Default: one per core."),
]
OutputFormat = Annotated[
    Format,
    typer.Option("--output-format", rich_help_panel=_REPORT, help="How to write the report."),
]
OutputFile = Annotated[
    Optional[Path],
    typer.Option(
        "--output-file",
        metavar="FILE",
        rich_help_panel=_REPORT,
        help="Write the report to this file instead of standard output.",
    ),
]
Statistics = Annotated[
    bool,
    typer.Option("--statistics", rich_help_panel=_REPORT, help="Count findings by rule, only."),
]
FailUnder = Annotated[
    Optional[int],
    typer.Option(
        "--fail-under",
        metavar="N",
        rich_help_panel=_REPORT,
        help="Exit 1 only if the readiness score, 0 to 100, is below N.",
    ),
]
Soc = Annotated[
    Optional[str],
    typer.Option(
        "--soc",
        metavar="NAME",
        help="The hardware that is emulated for PyTorch: 910A, 910B or A3.",
        show_default="910B",
    ),
]
Emulate = Annotated[
    bool,
    typer.Option(
        "--emulate",
        help="On a machine with an NPU: do not use it, and compute on the CPU.",
    ),
]
NoCache = Annotated[
    bool,
    typer.Option("--no-cache", help="Look at every file again, and keep nothing for the next run."),
]
CacheDir = Annotated[
    Optional[Path],
    typer.Option(
        "--cache-dir",
        metavar="FOLDER",
        help="Where to keep results for the next run. Default: the user's folder for caches.",
        show_default=False,
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print only a summary and errors.")]
Verbose = Annotated[
    bool, typer.Option("--verbose", "-v", help="Print every detail, tracebacks too.")
]


def split(values: Iterable[str] | None) -> tuple[str, ...] | None:
    """The values of an option, repeated or separated by commas; None when not given."""
    items = tuple(item.strip() for value in values or () for item in value.split(","))
    return tuple(filter(None, items)) or None
