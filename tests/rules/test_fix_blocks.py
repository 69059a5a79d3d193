"""Edits of whole blocks and argument lines, and how they get on with other fixes."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from ascendify.catalog.knowledge import CatalogKnowledge
from ascendify.migrate.analyse import Analyser
from ascendify.rules.arguments import Arguments
from ascendify.rules.fix import Fix
from ascendify.rules.registry import Dispatch, chosen
from ascendify.rules.site import Facts, TextSite
from ascendify.source.edits import apply
from ascendify.source.inference.resolver import Resolver
from ascendify.source.module import Module
from ascendify.source.project import Project
from ascendify.source.scopes import scope_of
from ascendify.source.text import SourceText
from support.rewriting import rewrite_python, rewrite_text
from support.rule_cases import Case, run


def analyser(*codes: str, module: Module | None = None) -> Analyser:
    project = Project(Path(), ["main.py"], {"main.py": ""})
    if module is not None:
        project.put(module)
    return Analyser(Resolver(project, CatalogKnowledge()), Dispatch(chosen(codes)), Facts())


def test_a_fix_inside_a_block_waits_until_the_block_is_out() -> None:
    before = (
        "import tensorflow as tf\n"
        "with tf.device('/gpu:0'):\n"
        "    config = tf.ConfigProto()\n"
        "    config.gpu_options.allow_growth = True\n"
        "    sess = tf.Session(config=config)\n"
    )
    module = Module.parse_text("main.py", SourceText(before))
    outcome = rewrite_python(analyser("TF1-DEV-1", "TF1-GPU-1", module=module), module)
    assert outcome.after == (
        "import tensorflow as tf\nconfig = tf.ConfigProto()\nsess = tf.Session(config=config)\n"
    )
    assert sorted((item.code, item.status.value) for item in outcome.findings) == [
        ("TF1-DEV-1", "auto"),
        ("TF1-GPU-1", "auto"),
    ]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("f(a=1, b=2)", "f(b=2)", id="on-one-line"),
        pytest.param("f(\n    a=1,\n    b=2,\n)", "f(\n    b=2,\n)", id="on-a-line-of-its-own"),
        pytest.param("f(a=1,\n  b=2)", "f(b=2)", id="behind-the-parenthesis"),
        pytest.param("f(a=1,  # why\n  b=2)", "f(# why\n  b=2)", id="before-a-comment"),
        pytest.param("f(a=1,\n)", "f(\n)", id="the-only-one"),
        pytest.param("f(b=2,\n  a=1)", "f(b=2)", id="the-last-one"),
    ],
)
def test_removing_an_argument_leaves_no_empty_line(before: str, after: str) -> None:
    module = Module.parse_text("main.py", SourceText(before))
    module.index  # noqa: B018 - marks the parents
    (call,) = (node for node in ast.walk(module.tree) if isinstance(node, ast.Call))
    argument = Arguments.bind(call, None).get("a")
    assert argument is not None
    fix = Fix(module)
    fix.remove_argument(call, argument)
    assert apply(before, fix.edits) == after


def test_fixes_of_a_script_that_meet_are_all_made() -> None:
    text = "export CUDA_VISIBLE_DEVICES=0\nexport NCCL_DEBUG=$CUDA_VISIBLE_DEVICES\n"
    site = TextSite("run.sh", "shell", text, Facts())
    outcome = rewrite_text(analyser("SH-CUDA-1", "SH-ENV-1"), site)
    assert outcome.after == "export ASCEND_DEVICE_ID=0\n"


def test_a_module_that_was_not_indexed_is_an_error() -> None:
    with pytest.raises(ValueError, match="indexed"):
        scope_of(ast.parse("x").body[0])


def test_a_verdict_lists_the_other_places() -> None:
    text = "import tensorflow as tf\ntf.sparse_add(a, b)\ntf.sparse_add(c, d)\n"
    (finding,) = run(Case("TF1-API-1", "", text)).findings
    assert "also on line 3" in finding.found


def test_a_fix_whose_place_went_with_something_larger_is_done() -> None:
    before = (
        "import horovod.tensorflow as hvd\n"
        "import tensorflow as tf\n"
        "gpus = tf.config.experimental.list_physical_devices('GPU')\n"
        "for gpu in gpus:\n"
        "    tf.config.experimental.set_memory_growth(gpu, True)\n"
        "if gpus:\n"
        "    tf.config.experimental.set_visible_devices(gpus[hvd.local_rank()], 'GPU')\n"
        "train()\n"
    )
    module = Module.parse_text("main.py", SourceText(before))
    outcome = rewrite_python(analyser("TF1-GPU-6", "TF1-HVD-10", module=module), module)
    assert outcome.after == ("import horovod.tensorflow as hvd\nimport tensorflow as tf\ntrain()\n")
    assert {item.status.value for item in outcome.findings} == {"auto"}
