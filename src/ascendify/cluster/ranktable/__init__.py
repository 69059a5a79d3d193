"""Rank tables: create, read, check, convert and write them, in every published template.

Each template is one module with dataclasses that mirror its JSON. Their common base is
:class:`Table`, whose ``placements`` say which rank runs on which device of which server.
"""

from __future__ import annotations

from ascendify.cluster.problem import ClusterProblem
from ascendify.cluster.ranktable.checking import check
from ascendify.cluster.ranktable.converting import Conversion, convert, create
from ascendify.cluster.ranktable.model import Placement, Table
from ascendify.cluster.ranktable.reading import ParsedTable, RankTableError, read, read_file
from ascendify.cluster.ranktable.templates import TEMPLATES, find
from ascendify.cluster.ranktable.writing import dump

__all__ = [
    "TEMPLATES",
    "ClusterProblem",
    "Conversion",
    "ParsedTable",
    "Placement",
    "RankTableError",
    "Table",
    "check",
    "convert",
    "create",
    "dump",
    "find",
    "read",
    "read_file",
]
