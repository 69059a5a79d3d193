"""The command line: one file per command, which parses, calls one room and prints.

It owns commands and options, what goes to which stream, and the exit codes. It must not know how
anything is done: a command that needs an ``if`` about a framework belongs in another room. Nothing
here imports another room at module level, so that ``--help`` stays fast.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from ascendify import __version__


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code."""
    args = sys.argv[1:] if argv is None else list(argv)
    if args == ["--version"]:
        # Building the whole command line takes longer than everything else at start-up.
        print(f"ascendify {__version__}")
        return 0
    from ascendify.cli import zoo
    from ascendify.cli.app import run

    code = run(args)
    zoo.exit_rank(code)
    return code
