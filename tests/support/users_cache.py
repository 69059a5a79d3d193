"""A plugin of pytest: what tests run keeps its cache in a folder of the run, not at home."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile

_CACHES = tempfile.mkdtemp(prefix="ascendify-tests-")
atexit.register(shutil.rmtree, _CACHES, ignore_errors=True)
os.environ["XDG_CACHE_HOME"] = _CACHES
