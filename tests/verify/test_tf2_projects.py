"""The examples for TensorFlow 2, migrated by hand: they pass, and wrong migrations do not."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from support.commands import ascendify
from support.interpreters import preloaded, tensorflow_python, user_environment
from support.tf2_projects import CHANGES, EXAMPLES, OPEN, changed, migrated

pytestmark = pytest.mark.xdist_group("tf2-projects")
WRAPPED = (
    'optimizer="adam",',
    'optimizer=npu_device.distribute.npu_distributed_keras_optimizer_wrapper("adam"),',
)
SHARDED = (
    "train = train.shuffle(len(x_train), seed=1).batch(args.batch_size, True)",
    "train, batch = npu_device.distribute.shard_and_rebatch_dataset(\n"
    "        train.shuffle(len(x_train), seed=1), args.batch_size)\n"
    "    train = train.batch(batch, True)",
)
OWN_FILE = ('"model.weights.h5"', '"rank%s.weights.h5" % os.environ["RANK_ID"]')
BROADCAST = (
    "    model.compile(",
    "    npu_device.distribute.broadcast(model.trainable_variables)\n    model.compile(",
)


@pytest.fixture(scope="module")
def python() -> str:
    """A Python that has loaded TensorFlow 2."""
    return preloaded(tensorflow_python("tf2"), "tf2")


def verify(
    python: str, name: str, copy: Path, *words: str, options: str = ""
) -> tuple[int, dict[str, Any]]:
    """Exit code and verdict for an example and a migration of it."""
    file = copy.parent / "verdict.json"
    command = ("verify", str(EXAMPLES / name), str(copy), *words, "--json", str(file), "-q")
    script = ("train.py", *options.split())
    ended = ascendify(*command, "--", python, *script, env=user_environment())
    assert file.exists(), ended.stdout + ended.stderr
    return ended.returncode, json.loads(file.read_text(encoding="utf-8"))


def codes(verdict: dict[str, Any]) -> set[str]:
    return {one["code"] for one in verdict["findings"]["findings"] if one["status"] != "info"}


@pytest.mark.parametrize("name", CHANGES)
def test_a_migration_by_hand_passes(python: str, tmp_path: Path, name: str) -> None:
    code, verdict = verify(python, name, migrated(name, tmp_path))
    assert (code, codes(verdict)) == (0, set()), verdict
    assert max(one["largest_error"] for one in verdict["series"]) < 1e-6
    assert any(one["source"] == "loss" for one in verdict["series"])
    assert {one["what"] for one in verdict["weights"]} == {"last checkpoint", "final weights"}


@pytest.mark.parametrize("name", ["tf2-custom-loop", "tf2-compat-v1"])
def test_a_project_that_is_not_migrated_does_not_pass(
    python: str, tmp_path: Path, name: str
) -> None:
    code, verdict = verify(python, name, changed(name, tmp_path))
    assert (code, codes(verdict)) == (1, {"EMU-NPU-1"})


def test_two_ranks_together_are_the_original(python: str, tmp_path: Path) -> None:
    copy = migrated("tf2-keras-fit", tmp_path, WRAPPED, SHARDED, BROADCAST, OWN_FILE)
    code, verdict = verify(python, "tf2-keras-fit", copy, "--devices", "2", options="--dropout 0")
    assert codes(verdict) == set(), verdict
    assert code == 0, verdict


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        pytest.param(
            [
                ("    np.random.seed(1)\n    tf.random.set_seed(1)\n", ""),
                (OPEN, "    np.random.seed(1)\n    tf.random.set_seed(1)\n" + OPEN),
            ],
            {"EMU-OPEN-1"},
            id="seed-before-open",
        ),
        pytest.param([(".as_default()", "")], {"EMU-NPU-1"}, id="not-the-default"),
    ],
)
def test_a_wrong_migration_does_not_pass(
    python: str, tmp_path: Path, changes: list[tuple[str, str]], found: set[str]
) -> None:
    code, verdict = verify(python, "tf2-keras-fit", migrated("tf2-keras-fit", tmp_path, *changes))
    assert (code, codes(verdict)) == (1, found)


def test_steps_of_a_custom_loop_are_measured(python: str, tmp_path: Path) -> None:
    copy = migrated("tf2-custom-loop", tmp_path)
    words = ("launch", "--emulate", "--measure", "--log-dir", str(tmp_path / "logs"))
    command = shlex.split("train.py --steps 30 --batch_size 16")
    ended = ascendify(*words, "--", python, *command, cwd=copy, env=user_environment())
    assert ended.returncode == 0, ended.stdout + ended.stderr
    lines = (tmp_path / "logs" / "measure-0.jsonl").read_text(encoding="utf-8").splitlines()
    steps = [one for one in map(json.loads, lines) if one["event"] == "step"]
    assert [one["step"] for one in steps] == list(range(1, 31))
    assert {one["samples"] for one in steps} == {16}
    assert steps[0]["loss"] > 0
