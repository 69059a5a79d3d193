"""The flags of the BiT guide reach npu_device's global options in a port of the BiT example.

The example is ported, its launch script is called with a flag, and a recorder in the place of
train.py writes down what the port's options module sets before the NPU would be opened.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support.commands import ascendify
from support.interpreters import user_environment

EXAMPLE = Path(__file__).parent.parent.parent / "examples" / "tf2-bit-transfer"
RECORDER = """\
import argparse
import json
import sys
import types

parser = argparse.ArgumentParser()
parser.add_argument("--data_dir")
parser.add_argument("--batch_size", type=int)
parser.add_argument("--epochs", type=int)
parser.add_argument("--log_steps", type=int)
parser.add_argument("--module")
args = parser.parse_args()


class Options:
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        self.__dict__[name] = Options()
        return self.__dict__[name]


def flat(options, prefix=""):
    for name, value in vars(options).items():
        if isinstance(value, Options):
            yield from flat(value, prefix + name + ".")
        else:
            yield prefix + name, value


options = Options()
sys.modules["npu_device"] = types.SimpleNamespace(global_options=lambda: options)
import npu_options

npu_options.set_global_options()
print(json.dumps({"options": dict(flat(options)), "arguments": vars(args)}))
"""


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A port of the example."""
    folder = tmp_path_factory.mktemp("bit") / "port"
    ended = ascendify("port", str(EXAMPLE), "-o", str(folder))
    assert ended.returncode == 0, ended.stderr
    return folder


@pytest.fixture
def ported(original: Path, tmp_path: Path) -> Path:
    """A copy of the port whose program writes down what it is given."""
    folder = tmp_path / "bit"
    shutil.copytree(original, folder)
    (folder / "train.py").write_text(RECORDER, encoding="utf-8")
    (folder / "data").mkdir()
    (folder / "ops_info.json").write_text("{}", encoding="utf-8")
    (folder / "fusion_switch.cfg").write_text("{}", encoding="utf-8")
    return folder


def started(project: Path, *flags: str) -> dict[str, Any]:
    """The options and arguments that the program gets from the launch script."""
    ended = subprocess.run(
        ("bash", str(project / "test" / "train_full_1p.sh"), "--data_path=data", *flags),
        cwd=project,
        env={**user_environment(), "PYTHON": sys.executable},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    log = project / "test" / "output" / "0" / "train_0.log"
    found: dict[str, Any] = json.loads(log.read_text().splitlines()[0])
    return found


PROFILE = (
    '{"output": "{project}/profile", "training_trace": "on", "task_trace": "on", "aicpu": "on", '
    '"aic_metrics": "PipeUtilization"}'
)
FLAGS = [
    pytest.param((), {}, id="none"),
    pytest.param(
        ("--precision_mode=allow_mix_precision",),
        {"precision_mode": "allow_mix_precision"},
        id="precision_mode",
    ),
    pytest.param(
        ("--over_dump=True", "--over_dump_path=over"),
        {
            "dump_config.enable_dump_debug": True,
            "dump_config.dump_debug_mode": "all",
            "dump_config.dump_path": "{project}/over",
        },
        id="over_dump, over_dump_path",
    ),
    pytest.param(
        ("--data_dump_flag=True", "--data_dump_step=5", "--data_dump_path=dump"),
        {
            "dump_config.enable_dump": True,
            "dump_config.dump_mode": "all",
            "dump_config.dump_step": "5",
            "dump_config.dump_path": "{project}/dump",
        },
        id="data_dump_flag, data_dump_step, data_dump_path",
    ),
    pytest.param(
        ("--profiling=True", "--profiling_dump_path=profile"),
        {
            "profiling_config.enable_profiling": True,
            "profiling_config.profiling_options": PROFILE,
        },
        id="profiling, profiling_dump_path",
    ),
    pytest.param(
        (
            "--precision_mode=allow_mix_precision",
            "--use_mixlist=True",
            "--mixlist_file=ops_info.json",
        ),
        {
            "precision_mode": "allow_mix_precision",
            "modify_mixlist": "{project}/ops_info.json",
        },
        id="use_mixlist, mixlist_file",
    ),
    pytest.param(
        ("--fusion_off_flag=True", "--fusion_off_file=fusion_switch.cfg"),
        {"fusion_switch_file": "{project}/fusion_switch.cfg"},
        id="fusion_off_flag, fusion_off_file",
    ),
]


@pytest.mark.parametrize(("flags", "options"), FLAGS)
def test_flag_reaches_the_global_options(
    ported: Path, flags: tuple[str, ...], options: dict[str, object]
) -> None:
    expected = {
        key: value.replace("{project}", str(ported)) if isinstance(value, str) else value
        for key, value in options.items()
    }
    assert started(ported, *flags)["options"] == expected


def test_flags_of_the_program_reach_it(ported: Path) -> None:
    found = started(ported, "--batch_size=64", "--", "--log_steps=1", "--epochs=15")
    assert found["arguments"] == {
        **{"data_dir": str(ported / "data"), "batch_size": 64, "epochs": 15, "log_steps": 1},
        "module": None,
    }


def test_options_are_set_before_the_npu_is_opened(original: Path) -> None:
    """Behind the arguments, and before seeds, data and model, as the guide has it."""
    text = (original / "train.py").read_text(encoding="utf-8")
    places = [
        text.index(part)
        for part in (
            *("args = parser.parse_args()", "set_global_options()\n", "npu_device.open()"),
            *("tf.random.set_seed", "from_tensor_slices", "model = MyBiTModel"),
        )
    ]
    assert places == sorted(places)


def test_training_batches_are_full_and_evaluation_is_named(original: Path) -> None:
    """The guide's ``eval_static`` is left to people: evaluation keeps every sample."""
    text = (original / "train.py").read_text(encoding="utf-8")
    assert text.count("drop_remainder=True") == 1
    ended = ascendify("check", str(EXAMPLE), "--output-format", "json", "--select", "TF2-DATA-1")
    found = [(item["status"], item["found"]) for item in json.loads(ended.stdout)["findings"]]
    assert [status for status, _ in found] == ["auto", "info"]
    assert "evaluation" in found[1][1]
