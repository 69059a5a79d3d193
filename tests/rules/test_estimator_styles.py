"""Run configs and estimators are decided together, whatever file they stand in."""

from __future__ import annotations

from pathlib import Path

import pytest

from ascendify.catalog.knowledge import CatalogKnowledge
from ascendify.migrate.analyse import Analyser
from ascendify.rules.registry import Dispatch, chosen
from ascendify.rules.site import Facts
from ascendify.source.inference.resolver import Resolver
from ascendify.source.module import Module
from ascendify.source.project import Project
from ascendify.source.text import SourceText
from support.rewriting import rewrite_python

_BUILD = """\
import tensorflow as tf
def build(config):
    return tf.estimator.Estimator(model_fn, config=config)
"""
_CONFIG = """\
import tensorflow as tf
def run_config(folder):
    return tf.estimator.RunConfig(model_dir=folder)
"""
_MAIN = """\
from build import build
from config import run_config
estimator = build(run_config('out'))
"""
_CANNED = """\
import tensorflow as tf
from config import run_config
classifier = tf.estimator.DNNClassifier([8], columns, config=run_config('other'))
"""
_UNKNOWN = """\
from build import build
from foreign import load
estimator = build(load())
"""


def _migrated(files: dict[str, str], codes: tuple[str, ...] = ("TF1-EST",)) -> dict[str, str]:
    project = Project(Path(), list(files), files)
    facts = Facts(entry_points=frozenset({"main.py"}))
    analyser = Analyser(Resolver(project, CatalogKnowledge()), Dispatch(chosen(codes)), facts)
    result: dict[str, str] = {}
    for path in files:
        module = project.module(path)
        assert isinstance(module, Module)
        result[path] = rewrite_python(analyser, module).after
    return result


@pytest.mark.parametrize(
    ("files", "native"),
    [
        pytest.param({"main.py": _MAIN}, True, id="one config, one estimator"),
        pytest.param(
            {"main.py": _MAIN, "canned.py": _CANNED}, False, id="a canned estimator shares it"
        ),
        pytest.param(
            {"main.py": _MAIN, "other.py": _UNKNOWN}, False, id="the estimator gets another one"
        ),
    ],
)
@pytest.mark.parametrize("backwards", [False, True], ids=["in order", "in reverse order"])
def test_three_files_agree(files: dict[str, str], native: bool, backwards: bool) -> None:
    project = {"build.py": _BUILD, "config.py": _CONFIG, **files}
    if backwards:
        project = dict(reversed(project.items()))
    after = _migrated(project)
    assert ("NPUEstimator(" in after["build.py"]) is native
    assert ("return NPURunConfig(" in after["config.py"]) is native
    assert ("npu_run_config_init(run_config=config)" in after["build.py"]) is not native
    assert _migrated(after) == after, "a second run changes something"


def test_a_later_pass_sees_the_callers_of_other_files() -> None:
    # what was inferred for main.py about build() refers to a text that a first pass has replaced
    files = {
        "main.py": "import tensorflow as tf\nfrom build import build\n"
        "build(tf.estimator.RunConfig(model_dir='out'))\n",
        "build.py": _BUILD,
    }
    project = Project(Path(), list(files), files)
    resolver = Resolver(project, CatalogKnowledge())
    analyser = Analyser(resolver, Dispatch(chosen(("TF1-EST-2",))), Facts())
    first = project.module("build.py")
    assert first is not None
    assert "NPUEstimator(" in rewrite_python(analyser, first).after
    again = Module.parse_text("build.py", SourceText(_BUILD.replace("model_fn", "my_fn")))
    project.put(again)
    resolver.forget("build.py")
    assert "NPUEstimator(" in rewrite_python(analyser, again).after


@pytest.mark.parametrize(
    ("config", "plan"),
    [
        pytest.param("self.config = C()\n        E(f, config=self.config)", True, id="attribute"),
        pytest.param("a, b = C(), 1\n        E(f, config=a)", True, id="unpacked"),
        pytest.param("E(f, config=(x := C()))", True, id="walrus"),
        pytest.param("E(f, config=copy.deepcopy(C()))", True, id="copied"),
        pytest.param("E(f, config=C().replace(model_dir='x'))", True, id="replaced"),
        pytest.param("c = C()\n        print(c)\n        E(f, config=c)", True, id="printed"),
        pytest.param("E(f, config={'c': C()}['c'])", False, id="from a dictionary"),
        pytest.param("c = C()\n        E(f, params=c, config=c)", False, id="also as params"),
        pytest.param("c = C()\n        saved.append(c)\n        E(f, config=c)", False, id="kept"),
        pytest.param("c = C()\n        yield c\n        E(f, config=c)", False, id="yielded"),
        pytest.param("E(f, config=given or C())", False, id="or something unknown"),
        pytest.param("E(f, **{'config': C()})", False, id="in a dictionary of arguments"),
    ],
)
def test_what_is_followed(config: str, plan: bool) -> None:
    text = (
        "import copy\nimport tensorflow as tf\nfrom tensorflow.estimator import RunConfig as C\n"
        "from tensorflow.estimator import Estimator as E\n"
        f"class Runner(object):\n    def run(self, given):\n        {config}\n"
    )
    after = _migrated({"main.py": text})["main.py"]
    assert ("NPURunConfig(" in after) is plan
    assert ("NPUEstimator(" in after) is plan
