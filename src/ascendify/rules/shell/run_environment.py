"""Launch scripts that start a training program: report the variables an NPU needs."""

from __future__ import annotations

import re

from ascendify.catalog import advice
from ascendify.rules.kit import Diagnoses, Rule, Status, TextSite
from ascendify.rules.shell import _programs

RULE = Rule(
    code="SH-RUN-1",
    title="Set the NPU's environment before a program starts",
    why=(
        "An NPU process needs the toolkit's paths and JOB_ID in its environment, and in a "
        "distributed job RANK_ID, RANK_SIZE, RANK_TABLE_FILE and ASCEND_DEVICE_ID."
    ),
    statuses=(Status.INFO,),
    before="#!/bin/bash\npython train.py",
    framework="tensorflow",
)

_PYTHON = re.compile(r"python[\d.]*")
_PREPARED = re.compile(r"set_env\.sh|\bJOB_ID=|\bRANK_ID=|ASCEND_")
_NEEDS = (
    f"`{advice.text('set-env')}`, JOB_ID, and for several devices "
    "RANK_ID, RANK_SIZE, RANK_TABLE_FILE and ASCEND_DEVICE_ID for each process"
)


@RULE.text("shell")
def report_needs(site: TextSite) -> Diagnoses:
    """The first program of the project that a script starts, unless it sets such variables."""
    if _PREPARED.search(site.text):
        return
    program = _programs.first_started(site, _PYTHON)
    if program is not None:
        yield RULE.info(
            site.at(program.start, program.end),
            f"{program.text} needs the NPU's environment: {_NEEDS}",
        )
