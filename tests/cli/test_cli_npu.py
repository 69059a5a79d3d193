"""NPU options on the command line: flags made from the catalogue, and ``--npu KEY=VALUE``."""

from __future__ import annotations

import pytest

from ascendify.catalog.options import all_options, pseudo_options
from ascendify.cli.npu import FLAGS, pairs, with_npu_flags
from ascendify.errors import UsageError
from support.commands import ascendify


def test_every_flag_is_an_option_of_the_catalogue() -> None:
    known = {option.key for option in all_options()} | {option.key for option in pseudo_options()}
    assert FLAGS.keys() <= known


def test_help_shows_what_the_catalogue_knows() -> None:
    page = " ".join(ascendify("migrate", "--help").stdout.split())
    assert all(flag in page for flag in FLAGS.values())
    assert "must_keep_origin_dtype" in page


def test_flags_and_pairs_arrive_together() -> None:
    seen: list[object] = []

    @with_npu_flags
    def command(npu: object = None) -> None:
        seen.append(npu)

    absent = dict.fromkeys(FLAGS)
    command(npu=None, **absent)
    command(npu=["a=1"], **{**absent, "enable_dump": True, "dump_path": "/d"})
    assert seen == [[], ["enable_dump=True", "dump_path=/d", "a=1"]]


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        pytest.param(None, {}, id="none"),
        pytest.param(["aoe_mode=2"], {"aoe_mode": "2"}, id="one"),
        pytest.param(["aoe-mode=2"], {"aoe_mode": "2"}, id="dashes"),
        pytest.param(["a=x=y"], {"a": "x=y"}, id="equals-in-the-value"),
        pytest.param(["a=1", "a=1"], {"a": "1"}, id="twice-the-same"),
    ],
)
def test_pairs(arguments: list[str] | None, options: dict[str, str]) -> None:
    assert pairs(arguments) == options


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(["aoe_mode"], "aoe_mode is not KEY=VALUE", id="no-value"),
        pytest.param(["=2"], "=2 is not KEY=VALUE", id="no-key"),
        pytest.param(["a=1", "a=2"], "a is given twice: 1 and 2", id="two-values"),
    ],
)
def test_wrong_pairs(arguments: list[str], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        pairs(arguments)
    assert message in caught.value.message
    assert caught.value.hint
