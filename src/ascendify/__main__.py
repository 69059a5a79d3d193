"""``python -m ascendify``: the same as the ``ascendify`` command."""

import os
import sys

if sys.path and (sys.path[0] or os.curdir) in (os.curdir, os.getcwd()):  # noqa: PTH109 - before any import
    # ``-m`` puts the current folder first: a project's own typing.py must not be taken for Python's
    del sys.path[0]

from ascendify.cli import main

sys.exit(main())
