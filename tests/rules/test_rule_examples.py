"""What every rule says about itself: its title, its statuses, and the example it shows."""

from __future__ import annotations

import ast
import itertools
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import pytest

from ascendify.emulation.codes import CODES
from ascendify.findings import Finding, Status
from ascendify.rules.registry import RegisteredRule, entries
from ascendify.rules.site import Facts
from support.rule_cases import CASES, Case, load, outcome_of, run

RULES = list(entries().values())

_GIVEN = {
    "tf": "import tensorflow as tf",
    "np": "import numpy as np",
    "os": "import os",
    "multiprocessing": "import multiprocessing",
    "subprocess": "import subprocess",
    "hvd": "import horovod.tensorflow as hvd",
    "npu_device": "import npu_device",
    "K": "from tensorflow.keras import backend as K",
    "control_flow_ops": "from tensorflow.python.ops import control_flow_ops",
    "RewriterConfig": "from tensorflow.core.protobuf.rewriter_config_pb2 import RewriterConfig",
    "model_deploy": "from deployment import model_deploy",
    "flags": "flags = tf.app.flags",
    "FLAGS": "FLAGS = flags.FLAGS",
    "NPURunConfig": "from npu_bridge.npu_init import NPURunConfig",
    "NPUEstimator": "from npu_bridge.npu_init import NPUEstimator",
    "NPULossScaleOptimizer": "from npu_bridge.npu_init import NPULossScaleOptimizer",
    "npu_config_proto": "from npu_bridge.npu_init import npu_config_proto",
    "shutdown_resource": "from npu_bridge.npu_init import shutdown_resource",
    "close_session": "from npu_bridge.npu_init import close_session",
    "util": "from npu_bridge.npu_init import util",
    "get_rank_id": "from hccl.manage.api import get_rank_id",
    "npu_sess": "from npu_bridge.npu_init import init_resource\n"
    "npu_sess, npu_shutdown = init_resource()",
    "dataset": "dataset = tf.data.Dataset.range(9)",
    "iterator": "iterator = tf.data.make_initializable_iterator(dataset)",
    "next_batch": "next_batch = iterator.get_next()",
    "config": "config = tf.ConfigProto()",
    "options": "options = tf.OptimizerOptions()",
    "run_config": "run_config = tf.estimator.RunConfig()",
    "custom_op": "rewriter = tf.ConfigProto().graph_options.rewrite_options\n"
    "custom_op = rewriter.custom_optimizers.add()\n"
    "custom_op.name = 'NpuOptimizer'",
    "opt": "opt = tf.train.AdamOptimizer(0.1)",
    "optimizer": "optimizer = tf.train.AdamOptimizer(0.1)",
    "train_op": "train_op = opt.minimize(loss)",
    "sess": "sess = tf.InteractiveSession()",
    "saver": "saver = tf.train.Saver()",
    "model": "model = tf.keras.Sequential()",
    "estimator": "estimator = tf.estimator.Estimator(model_fn, 'out')",
    "classifier": "classifier = tf.estimator.DNNClassifier([8], columns)",
    "gpus": "gpus = tf.config.experimental.list_physical_devices('GPU')",
    "x": "x = tf.placeholder(tf.float32, [8])",
    "loss": "loss = tf.reduce_mean(x)",
    "phase": "phase = tf.placeholder(tf.string, [])",
    "global_step": "global_step = tf.train.get_or_create_global_step()",
}
"""What the names of examples mean, where a rule must know it; other names can be anything."""
_GIVEN_TF2 = {
    **_GIVEN,
    "json": "import json",
    "horovod": "import horovod",
    "hvd": "import horovod.tensorflow as hvd",
    "tape": "with tf.GradientTape() as tape:\n    loss = tf.reduce_mean(model(x))",
    "model": "model = tf.keras.Sequential([tf.keras.Input((8,))])",
    "optimizer": "optimizer = tf.keras.optimizers.SGD(0.1)",
    "opt": "opt = tf.keras.optimizers.SGD(0.1)",
    "checkpoint": "checkpoint = tf.train.Checkpoint(model=model)",
    "strategy": "strategy = tf.distribute.get_strategy()",
    "NPUBroadcastGlobalVariablesCallback": "from npu_device.distribute.npu_callbacks import "
    "NPUBroadcastGlobalVariablesCallback",
}
"""The same for TensorFlow 2."""
_GIVEN_TORCH = {
    "torch": "import torch",
    "os": "import os",
    "nn": "from torch import nn",
    "F": "import torch.nn.functional as F",
    "dist": "import torch.distributed as dist",
    "mp": "import torch.multiprocessing as mp",
    "amp": "from apex import amp",
    "apex": "import apex",
    "torch_npu": "import torch_npu",
    "scaler": "scaler = torch.cuda.amp.GradScaler()",
    "init_device_mesh": "from torch.distributed.device_mesh import init_device_mesh",
    "hvd": "import horovod.torch as hvd",
    "np": "import numpy as np",
    "operator": "import operator",
    "torchvision": "import torchvision",
    "Dataset": "from torch.utils.data import Dataset",
    "argparse": "import argparse",
    "pl": "import pytorch_lightning as pl",
    "TrainingArguments": "from transformers import TrainingArguments",
    "DistributedType": "from accelerate import DistributedType",
    "cudnn": "import torch.backends.cudnn as cudnn",
    "parser": "import argparse\nparser = argparse.ArgumentParser()",
    "x": "x = torch.zeros(8)",
    "model": "model = torch.nn.Linear(8, 8)",
    "loss": "loss = model(x).sum()",
    "optimizer": "optimizer = torch.optim.SGD(model.parameters(), lr=0.1)",
    "device": "device = torch.device('npu')",
    "dataset": "dataset = torch.utils.data.TensorDataset(x)",
    "loader": "loader = torch.utils.data.DataLoader(dataset)",
}
"""The same for PyTorch."""
_WORLDS = [
    Facts(entry_points=frozenset({"main.py"}), distributed=distributed, npu_options=options)
    for options in ({}, {"loss_scale": "dynamic", "iterations_per_loop": "10"})
    for distributed in ("none", "tf_strategy", "horovod")
] + [Facts(entry_points=frozenset({"main.py"}), dynamic_rnn=True)]
"""Projects the examples may be part of; each must hold in one of them."""
_TF2_WORLDS = [
    replace(world, frameworks=frozenset({"tensorflow2"}), framework="tensorflow2")
    for world in (*_WORLDS, Facts())
]
_TORCH_WORLDS = [
    Facts(
        entry_points=frozenset({"main.py"}),
        frameworks=frozenset({"torch"}),
        framework="torch",
        style=style,
        fix_drift=True,
        tune=True,
        torch_npu=torch_npu,
        add_distribution=True,
    )
    for style, torch_npu in (("explicit", ""), ("transfer", ""), ("explicit", "2.4.0"))
]
_NAMES = {"TORCH-REQ-2": "pyproject.toml", "SH-K8S-1": "pod.yaml"}
"""Rules that look at files of one name only."""
_SUFFIXES = {
    "TORCH-REQ-2": ".toml",
    "SH-K8S-1": ".cfg",
    "REQ-3": ".dockerfile",
    "REQ": ".txt",
    "SH": ".sh",
}
_KINDS = {"shell": ".sh", "requirements": ".txt", "docker": ".dockerfile", "config": ".cfg"}


def _ids(entry: RegisteredRule) -> str:
    return entry.rule.code


# --- words --------------------------------------------------------------------------------------


def test_titles_differ() -> None:
    repeated = Counter(entry.rule.title for entry in RULES) - Counter(
        {entry.rule.title for entry in RULES}
    )
    assert not repeated


@pytest.mark.parametrize("entry", RULES, ids=_ids)
def test_texts_can_be_shown(entry: RegisteredRule) -> None:
    rule = entry.rule
    assert rule.title[0].isupper()
    assert rule.title[-1] not in ".!?"
    assert not rule.title.partition(" ")[0].endswith(("s", "ing")), "not imperative"
    assert rule.why.endswith(".")
    assert rule.before, "an example is missing"
    assert not rule.safety or rule.safety.endswith(".")


# --- statuses -----------------------------------------------------------------------------------


@pytest.mark.parametrize("entry", RULES, ids=_ids)
def test_statuses_are_those_of_the_tables(entry: RegisteredRule) -> None:
    """A possible finding is reported by a rule, or is a rewrite that is not certain."""
    paths = sorted((CASES / entry.rule.code).glob("*.*"))
    seen = [
        finding for path in paths for case in load(path) for finding in outcome_of(case).findings
    ]
    declared = set(entry.rule.statuses)
    assert {item.status for item in seen if not item.possible} <= declared
    assert declared <= {item.status for item in seen}


def test_a_rule_foretells_what_strict_mode_stops_for() -> None:
    """Only what strict mode may report as left to do, by rules that leave something to do."""
    for entry in RULES:
        stops = [
            Status.MANUAL in CODES[code].statuses or Status.BLOCKER in CODES[code].statuses
            for code in entry.rule.foretells
        ]
        assert all(stops), entry.rule.code
        assert not stops or Status.MANUAL in entry.rule.statuses, entry.rule.code


# --- examples -----------------------------------------------------------------------------------


@pytest.mark.parametrize("entry", RULES, ids=_ids)
def test_example_is_what_the_rule_does(entry: RegisteredRule) -> None:
    rule = entry.rule
    suffix = _suffix(entry)
    if suffix != ".py":
        world = _TORCH_WORLDS[0] if entry.family == "torch" else Facts()
        facts = replace(world, entry_points=frozenset({"train.py"}))
        name = _NAMES.get(rule.code, "")
        case = Case(rule.code, "example", f"{rule.before}\n", None, None, facts, {}, suffix, name)
        outcome = run(case)
        assert outcome.findings
        assert outcome.after == (f"{rule.after}\n" if rule.after else case.before)
        return
    results = []
    given = {"torch": _GIVEN_TORCH, "tf2": _GIVEN_TF2}.get(entry.family, _GIVEN)
    worlds = {"torch": _TORCH_WORLDS, "tf2": _TF2_WORLDS}.get(entry.family, _WORLDS)
    for prelude, facts in itertools.product(_preludes(rule.before, given), worlds):
        outcome = run(Case(rule.code, "example", f"{prelude}{rule.before}\n", facts=facts))
        if _is_told(outcome.findings, prelude):
            results.append(_shape(outcome.after, prelude))
    assert results, "the rule finds nothing in its example"
    unchanged = not rule.after and Status.AUTO not in rule.statuses
    assert _shape(rule.before if unchanged else rule.after, "") in results


def _is_told(findings: list[Finding], prelude: str) -> bool:
    return any(item.span.line > prelude.count("\n") for item in findings)


def _suffix(entry: RegisteredRule) -> str:
    """What kind of file an example is: what does not read as Python is of the rule's other kind."""
    for start, suffix in _SUFFIXES.items():
        if entry.rule.code.startswith(start):
            return suffix
    kinds = [item.pattern for item in entry.rule.triggers if item.event == "text"]
    try:
        ast.parse(entry.rule.before)
    except SyntaxError:
        return _KINDS[kinds[0]]
    return _KINDS[kinds[0]] if len(kinds) == len(entry.rule.triggers) else ".py"


def _preludes(text: str, given: dict[str, str]) -> Iterator[str]:
    prelude = _prelude(text, given)
    yield prelude
    if "horovod" in prelude:
        yield prelude.replace("horovod.tensorflow", "horovod.tensorflow.keras")


def _prelude(text: str, given: dict[str, str]) -> str:
    """Lines that give the names of an example their meaning, those that others need first."""
    lines: list[str] = []
    for name in _needed(text):
        line = given.get(name)
        if line is not None and line not in lines:
            before = _prelude(line, given).splitlines()
            lines += [item for item in before if item not in lines]
            lines += line.splitlines()
    return "".join(f"{line}\n" for line in lines)


def _needed(text: str) -> list[str]:
    """Variables that are read in a statement before one that gives them a value."""
    needed: list[str] = []
    bound: set[str] = set()
    for statement in ast.parse(text).body:
        names = [node for node in ast.walk(statement) if isinstance(node, ast.Name)]
        needed += [
            node.id for node in names if isinstance(node.ctx, ast.Load) and node.id not in bound
        ]
        bound.update(node.id for node in names if isinstance(node.ctx, ast.Store))
    return needed


def _shape(text: str, prelude: str) -> list[str]:
    """The statements of a text without those of the prelude and without new imports."""
    given = Counter(ast.dump(item) for item in ast.parse(prelude).body)
    found = []
    for item in ast.parse(text).body:
        dumped = ast.dump(item)
        if given[dumped]:
            given[dumped] -= 1
        elif not isinstance(item, (ast.Import, ast.ImportFrom)):
            found.append(dumped)
    return found
