"""Rank tables: read, written, made, checked and converted, in every published template.

A template is one file with dataclasses that mirror its JSON. What all have in common is a
:class:`Table`, whose ``placements`` say which rank runs on which device of which server.
"""

from __future__ import annotations

from ascendify.cluster.problem import Problem
from ascendify.cluster.ranktable.checking import check
from ascendify.cluster.ranktable.converting import Conversion, convert, create
from ascendify.cluster.ranktable.model import Placement, Table
from ascendify.cluster.ranktable.reading import RankTableError, Reading, read, read_file
from ascendify.cluster.ranktable.templates import TEMPLATES, find
from ascendify.cluster.ranktable.writing import dump

__all__ = [
    "TEMPLATES",
    "Conversion",
    "Placement",
    "Problem",
    "RankTableError",
    "Reading",
    "Table",
    "check",
    "convert",
    "create",
    "dump",
    "find",
    "read",
    "read_file",
]
