"""``python -m ascendify``: the same as the ``ascendify`` command."""

import sys

from ascendify.cli import main

sys.exit(main())
