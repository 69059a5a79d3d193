"""How sure a finding about the network is, for code that may belong to the input pipeline."""

from __future__ import annotations

import ast
import re

from ascendify.rules.kit import Diagnoses, Diagnosis, File
from ascendify.rules.tf1 import _pipeline

_LIKELY = re.compile(
    r"pre_?process|inputs?\b|input_|_input|dataset|data_(loader|provider|util|gen)|reader|decoder"
    r"|record|augment",
    re.I,
)
"""File names under which people keep their input pipeline."""
_LIKELY_FOLDER = re.compile(r"pre_?process|augment|data_(loader|provider|gen)", re.I)
"""Names of folders that hold nothing else."""


def in_network(file: File, node: ast.AST, diagnosis: Diagnosis) -> Diagnoses:
    """The diagnosis where the node is part of the network, as a question where it may not be.

    Nothing for code that only the input pipeline runs, which stays on the host, nor for tests,
    which train nothing.
    """
    if _pipeline.in_test(file, node) or _pipeline.runs_on_host(file, node):
        return
    folder, _, name = file.path.rpartition("/")
    likely = _LIKELY.search(name.rpartition(".")[0]) or _LIKELY_FOLDER.search(folder)
    if likely or _pipeline.may_run_on_host(file, node):
        diagnosis = _pipeline.as_possible(diagnosis)
    yield diagnosis
