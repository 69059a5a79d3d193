"""The pipeline: discover, analyse, fix, self-check, write.

This room turns settings into a report and, for ``migrate``, a written project. It runs rules but
holds none; it fills in a report but renders none. Nothing of the user's project is ever imported
or executed here.
"""

from __future__ import annotations

from ascendify.migrate.pipeline import check, migrate

__all__ = ["check", "migrate"]
