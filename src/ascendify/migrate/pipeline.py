"""Check and migrate: survey the project, run the workers, gather the report, write the result."""

from __future__ import annotations

import gc
import multiprocessing
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from pathlib import Path
from typing import Optional

from ascendify import __version__
from ascendify.catalog import support, types
from ascendify.migrate import writer
from ascendify.migrate.errors import UsageError
from ascendify.migrate.options_files import options_files
from ascendify.migrate.settings import Settings
from ascendify.migrate.survey import Survey, survey
from ascendify.migrate.worker import Result, Worker
from ascendify.reports.model import ApiUse, FileAction, FileEntry, Place, Report
from ascendify.rules.registry import chosen, entries

Progress = Optional[Callable[[int, int, str], None]]
_BATCH_BYTES = 8_000_000
"""Files of one folder stay together: they import each other, and a batch parses each file once.
A batch of this size keeps about 700 MB of trees alive, so it is not larger."""
_BATCHES_PER_JOB = 2
"""Few, because what files of two batches have in common is parsed twice; more than one, because
batches of one size take different times."""
