"""``--vendor-style``: the NPU's names come from one star import, as the vendor's tool writes it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ascendify.rules.site import Facts
from ascendify.source.imports import Import, insertions
from ascendify.source.module import Module
from ascendify.source.text import SourceText
from support.rule_cases import Case, run

STAR = "from npu_bridge.npu_init import *"
SESSION = "import tensorflow as tf\nsess = tf.Session()\n"


def migrated(text: str, vendor_style: bool = True, code: str = "TF1-SESS-1") -> str:
    return run(Case(code, "", text, facts=Facts(vendor_style=vendor_style))).after


def test_names_come_from_one_star_import() -> None:
    after = migrated(SESSION + "other = tf.Session()\n")
    assert after == (
        f"import tensorflow as tf\n{STAR}\n"
        "sess = tf.Session(config=npu_config_proto())\n"
        "other = tf.Session(config=npu_config_proto())\n"
    )


def test_without_the_switch_names_are_imported_one_by_one() -> None:
    assert "from npu_bridge.npu_init import npu_config_proto\n" in migrated(SESSION, False)


def test_a_second_run_adds_nothing() -> None:
    after = migrated(SESSION)
    assert migrated(after) == after


def test_a_star_import_that_is_there_serves_without_the_switch() -> None:
    text = f"import tensorflow as tf\n{STAR}\nsess = tf.Session()\n"
    assert migrated(text, False) == text.replace(
        "tf.Session()", "tf.Session(config=npu_config_proto())"
    )


@pytest.mark.parametrize(
    ("line", "starred"),
    [
        pytest.param("import os\n", True, id="the same module under the same name"),
        pytest.param("import numpy as np\n", True, id="a name the star does not bring"),
        pytest.param("def util():\n    pass\n", True, id="defined after the imports: it wins"),
        pytest.param("from lib import util\n", False, id="an import the star would replace"),
        pytest.param("import session\n", False, id="a module of the project"),
        pytest.param("npu_config_proto = None\n", False, id="the name itself is taken"),
    ],
)
def test_the_star_never_takes_the_place_of_the_users_names(line: str, starred: bool) -> None:
    after = migrated(f"import tensorflow as tf\n{line}sess = tf.Session()\n")
    assert (STAR in after) is starred
    assert ("npu_config_proto as" in after) is ("npu_config_proto =" in line)


def test_other_modules_are_imported_by_name() -> None:
    text = (
        "import tensorflow as tf\nfrom npu_bridge.npu_init import init_resource\n"
        "sess, op = init_resource()\n"
    )
    after = migrated(text, code="TF1-INIT-2")
    assert "import atexit\n" in after
    assert f"{STAR}\n" in after


def test_builtins_are_not_taken_for_names_of_the_star_import() -> None:
    text = f"import tensorflow as tf\n{STAR}\nprint(len(tf.Session))\n"
    assert migrated(text) == text


def test_a_star_and_an_alias_of_one_module_are_two_lines() -> None:
    module = Module.parse_text("main.py", SourceText("import tensorflow\n"))
    star = Import("npu_bridge.npu_init", "*")
    alias = replace(star, name="util", local="util_2")
    (edit,) = insertions(module, [star, alias], ("tensorflow",))
    assert edit.new.splitlines()[1:] == [
        STAR,
        "from npu_bridge.npu_init import util as util_2",
    ]
