"""This machine: one process per device, supervised until the last has exited."""

from __future__ import annotations

from ascendify.jobs import run as jobs
from ascendify.launch.engines import Engine, EngineInput
from ascendify.launch.engines.dry_run import script

ENGINE = Engine(
    "local",
    {},
    lambda given: script(given.job, given.ranks),
    EngineInput.run,
    lambda given: jobs.check(given.job, given.supervision),
    every_server=False,
)
