"""Libraries as data: every entry has a source, and no fact stands in both tables."""

from __future__ import annotations

import re

import pytest

from ascendify.catalog import cuda_packages, libraries
from ascendify.catalog._data import table
from ascendify.catalog.libraries import STATES, Library
from ascendify.findings import Effort, Status

SENTENCES = re.compile(r"[A-Z`'].*[.]", re.S)
ROWS = [
    *table("libraries")["libraries"],
    *table("libraries")["settings"],
    *table("libraries")["calls"],
]


def test_every_entry_names_a_source_and_every_source_is_named() -> None:
    used = {key for row in ROWS for key in row["source"]}
    assert all(row["source"] for row in ROWS)
    assert used == set(table("libraries")["sources"])


def _name(library: Library) -> str:
    return (*library.all_names, *library.distributions)[0]


@pytest.mark.parametrize("library", libraries.all_libraries(), ids=_name)
def test_a_library_is_told_in_sentences(library: Library) -> None:
    assert library.npu in STATES
    assert SENTENCES.fullmatch(library.todo)
    assert not library.setup or library.setup.endswith(".")
    if library.status is not None:
        assert library.what
        assert not library.what.endswith(".")
    if library.status is Status.MANUAL:
        assert library.effort is not Effort.NONE
    if library.npu in ("other", "beside"):
        assert library.replacement, "what takes its place"


def test_every_package_that_needs_cuda_says_how_far_it_works() -> None:
    assert all(package.npu in STATES for package in cuda_packages.all_packages())


def test_no_library_is_in_both_tables() -> None:
    needs_cuda = {
        name
        for package in cuda_packages.all_packages()
        for name in (*package.imports, *package.names)
    }
    knows_npus = [name for row in table("libraries")["libraries"] for name in row["imports"]]
    assert len(set(knows_npus)) == len(knows_npus)
    assert not needs_cuda.intersection(knows_npus)


def test_settings_and_functions_are_of_libraries_that_are_known() -> None:
    known = {name for library in libraries.all_libraries() for name in library.all_names}
    settings = {item.library for item in libraries.settings()}
    uses = {item.library for item in libraries.uses()}
    assert (settings | uses) - known == {"cv2"}


@pytest.mark.parametrize(
    ("name", "library"),
    [
        ("flash_attn.flash_attn_interface", "flash_attn"),
        ("flash-attn", "flash_attn"),
        ("numba.cuda", "numba.cuda"),
        ("mmcv", "mmcv.ops"),
        ("mmcv.ops.nms", "mmcv.ops"),
        ("pytorch-lightning", "lightning"),
        ("torch.nn.attention.flex_attention.flex_attention", "torch.nn.attention.flex_attention"),
        ("torch.nn", None),
        ("numba", None),
        ("tritonlike", None),
    ],
)
def test_a_library_is_found_by_import_and_requirement(name: str, library: str | None) -> None:
    found = libraries.named(name)
    assert (found.imports[0] if found else None) == library


def test_a_value_is_true_only_where_it_is_that_type() -> None:
    (eight_bits,) = (item for item in libraries.settings() if "load_in_8bit" in item.names)
    assert [eight_bits.applies(value) for value in (True, False, 1, None, "x")] == [
        True,
        False,
        False,
        False,
        False,
    ]
    (gpus,) = (item for item in libraries.settings() if "num_gpus" in item.names)
    assert [gpus.applies(value) for value in (1, 0.5, 0, None)] == [True, True, False, False]
