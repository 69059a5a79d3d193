"""The options of ``ascendify launch``."""

# No `from __future__ import annotations`: typer on Python 3.9 reads only evaluated ones.
from pathlib import Path
from typing import Annotated, Optional

import typer

_JOB = "Job"
_RUN = "Running"
_MODELARTS = "ModelArts"

Command = Annotated[
    Optional[list[str]],
    typer.Argument(
        metavar="-- COMMAND...",
        help="What to run, such as: python train.py --epochs 90",
        show_default=False,
    ),
]
EngineName = Annotated[
    str,
    typer.Option(
        "--engine", "-e", metavar="NAME", rich_help_panel=_JOB, help="What starts the ranks."
    ),
]
EngineOptions = Annotated[
    Optional[list[str]],
    typer.Option("-O", metavar="NAME=VALUE", rich_help_panel=_JOB, help="An option of the engine."),
]
Devices = Annotated[
    Optional[str],
    typer.Option(
        "--devices",
        "-n",
        metavar="N|LIST",
        rich_help_panel=_JOB,
        help="Devices of each server: how many, or which (0-3, or 4,5,6,7).",
        show_default="1",
    ),
]
Servers = Annotated[
    Optional[int],
    typer.Option("--servers", metavar="N", rich_help_panel=_JOB, help="How many servers."),
]
Hosts = Annotated[
    Optional[str],
    typer.Option("--hosts", metavar="LIST", rich_help_panel=_JOB, help="Servers: node1:8,node2:8."),
]
Inventory = Annotated[
    Optional[Path],
    typer.Option("--inventory", metavar="FILE", rich_help_panel=_JOB, help="Servers, from a file."),
]
RankTable = Annotated[
    Optional[Path],
    typer.Option(
        "--rank-table",
        metavar="FILE",
        rich_help_panel=_JOB,
        help="Use this rank table instead of making one.",
    ),
]
ByChief = Annotated[
    bool,
    typer.Option(
        "--no-rank-table",
        rich_help_panel=_JOB,
        help="Let the ranks find each other through a chief (CM_CHIEF_IP), without a table.",
    ),
]
Server = Annotated[
    Optional[str],
    typer.Option(
        "--server",
        metavar="NAME|NUMBER",
        rich_help_panel=_JOB,
        help="Which of several servers this is; its ranks are started. all: every one.",
    ),
]
Hardware = Annotated[
    Optional[str],
    typer.Option(
        "--hardware",
        metavar="NAME",
        rich_help_panel=_JOB,
        help="910A, 910B, A3 or 950: check that such servers can run the job.",
    ),
]
JobName = Annotated[
    str, typer.Option("--name", metavar="JOB_ID", rich_help_panel=_JOB, help="Of the job.")
]
Port = Annotated[
    Optional[int],
    typer.Option(
        "--port", metavar="N", rich_help_panel=_JOB, help="Where rank 0 listens (MASTER_PORT)."
    ),
]
Variables = Annotated[
    Optional[list[str]],
    typer.Option(
        "--env",
        metavar="NAME=VALUE",
        rich_help_panel=_JOB,
        help="Set a variable for every rank; may be given several times.",
    ),
]
Once = Annotated[
    Optional[bool],
    typer.Option(
        "--once/--no-once",
        rich_help_panel=_JOB,
        help="Start the command once per server: it starts the ranks itself.",
        show_default="once for torchrun, accelerate launch, mp.spawn; else one per device",
    ),
]
DataUrl = Annotated[
    Optional[str],
    typer.Option(
        "--data_url",
        "--data-url",
        metavar="URL",
        rich_help_panel=_MODELARTS,
        help="Copy the data from here first; {data} in the command is the copy.",
    ),
]
TrainUrl = Annotated[
    Optional[str],
    typer.Option(
        "--train_url",
        "--train-url",
        metavar="URL",
        rich_help_panel=_MODELARTS,
        help="Copy what the command writes to {output}, and the logs, here at the end.",
    ),
]
Project = Annotated[
    Path,
    typer.Option("--project", metavar="FOLDER", help="Your files; the command runs there."),
]
LogFolder = Annotated[
    Optional[Path],
    typer.Option(
        "--log-dir",
        metavar="FOLDER",
        help="Write the ranks' logs here.",
        show_default="logs/ and the job's name, in the project",
    ),
]
Timeout = Annotated[
    Optional[float],
    typer.Option(
        "--timeout", metavar="SECONDS", rich_help_panel=_RUN, help="Stop after that time."
    ),
]
Grace = Annotated[
    float,
    typer.Option(
        "--grace",
        metavar="SECONDS",
        rich_help_panel=_RUN,
        help="Between SIGTERM and SIGKILL when ranks are stopped.",
    ),
]
MaxRestarts = Annotated[
    int,
    typer.Option(
        "--max-restarts", metavar="N", rich_help_panel=_RUN, help="Start again on failure."
    ),
]
BindCores = Annotated[
    bool,
    typer.Option(
        "--bind-cores/--no-bind-cores",
        rich_help_panel=_RUN,
        help="Give each rank cores of its own, where there are enough.",
    ),
]
AllRanks = Annotated[
    bool,
    typer.Option("--all-ranks", "-a", rich_help_panel=_RUN, help="Show what every rank prints."),
]
Emulate = Annotated[
    bool,
    typer.Option(
        "--emulate",
        rich_help_panel=_RUN,
        help="Without NPUs: run on the CPU, with stand-ins for the NPU's packages.",
    ),
]
Measure = Annotated[
    bool,
    typer.Option(
        "--measure",
        rich_help_panel=_RUN,
        help="Record every training step (measure-RANK.jsonl, beside the logs).",
    ),
]
DryRun = Annotated[
    bool,
    typer.Option("--dry-run", rich_help_panel=_RUN, help="Print what would be started, and where."),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Do not show what ranks print.")]
