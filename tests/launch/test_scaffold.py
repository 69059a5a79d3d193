"""``ascendify scaffold``: launch scripts that run, whose switches arrive."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ascendify.cluster import ranktable
from ascendify.launch.scaffold import options, writing
from ascendify.launch.scaffold.options import ScriptOptions
from ascendify.migrate import options_module
from ascendify.programs.program import TRAINING, Program
from support.commands import ascendify
from support.interpreters import user_environment
from support.launches import PATIENCE
from support.processes import is_alive, processes_in, wait_until

SCRIPTS = (
    "train_full_1p.sh",
    "train_performance_1p.sh",
    "train_full_8p.sh",
    "train_performance_8p.sh",
)
TRAINER = """
import argparse, json, os, sys, time
if False:
    import tensorflow
parser = argparse.ArgumentParser()
parser.add_argument("--data_dir")
parser.add_argument("--batch_size", type=int, default=32)
parser.add_argument("--max_steps", type=int, default=5000)
parser.add_argument("--title", default="")
parser.add_argument("--fail", default="")
if __name__ == "__main__":
    args = parser.parse_args()
    options = {}
    try:
        import npu_options
        options = npu_options.options()
    except ImportError:
        pass
    reported = {"arguments": vars(args), "options": options, "environment": dict(os.environ)}
    print(json.dumps(reported))
    with open("processes", "a") as file:
        file.write("%d\\n" % os.getpid())
    if args.fail == os.environ["ASCEND_DEVICE_ID"]:
        raise ValueError("the data are bad")
    if args.fail:
        time.sleep(600)
    for step in range(1, 6):
        print("step: %d  loss: %.3f FPS: %.1f" % (step, 1 / step, 100.0))
    print("train_accuracy: 0.8125")
    if False:
        NPUDistributedOptimizer(optimizer).minimize(loss)
"""
_SHELLCHECK = Path(sys.executable).with_name("shellcheck")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A migrated project with options, in a folder with a space; data beside it."""
    folder = tmp_path / "my project"
    (folder / "tools").mkdir(parents=True)
    (folder / "tools" / "train it.py").write_text(TRAINER)
    text = options_module.render({}, session_config=False, run_config_options=True)
    (folder / "tools" / "npu_options.py").write_text(text)
    (tmp_path / "my data").mkdir()
    ended = ascendify("scaffold", folder, "--network", "Net_ID0001", "--", "--title", "a 'b' $c")
    assert ended.returncode == 0, ended.stderr
    assert ended.stderr.startswith("12 files in")
    return folder


def path_with(*folders: Path | str) -> str:
    """A PATH without ascendify, but for these folders."""
    return os.pathsep.join((*map(str, folders), "/usr/bin", "/bin"))


WITH_ASCENDIFY = path_with(Path(sys.executable).parent)
PLAIN = path_with()
both_ways = pytest.mark.parametrize(
    "path", [pytest.param(WITH_ASCENDIFY, id="ascendify"), pytest.param(PLAIN, id="plain")]
)


def run(
    project: Path, script: str, *arguments: str, path: str = PLAIN, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run a script from elsewhere, as users do."""
    return subprocess.run(
        ("bash", str(project / "test" / script), *arguments),
        cwd=project.parent,
        env={**user_environment(), "PATH": path, "PYTHON": sys.executable, **variables},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def trained(project: Path, device: int = 0) -> dict[str, Any]:
    """The arguments, options and environment that a device's trainer received."""
    log = project / "test" / "output" / str(device) / f"train_{device}.log"
    reported: dict[str, Any] = json.loads(log.read_text().splitlines()[0])
    return reported


# --- what is written -------------------------------------------------------------------------


def shell_scripts(project: Path) -> list[str]:
    return sorted(str(path) for path in (project / "test").rglob("*.sh"))


def test_layout(project: Path) -> None:
    assert {path.name for path in (project / "test").iterdir()} == {
        *SCRIPTS,
        *("common.sh", "env.sh", "settings.sh", "README.md"),
    }
    assert all(os.access(project / "test" / name, os.X_OK) for name in SCRIPTS)
    for name, size in (("rank_table_8p.json", 8), ("rank_table_2x8.json", 16)):
        reading = ranktable.read_file(project / "configs" / name)
        assert len(reading.table.placements) == size
        assert [one for one in ranktable.check(reading.table) if one.severity == "error"] == []
    assert "tools/train it.py" in (project / "test" / "README.md").read_text()


@pytest.mark.parametrize("framework", [writing.TENSORFLOW, writing.PYTORCH])
def test_shellcheck_is_content(tmp_path: Path, framework: str) -> None:
    made = writing.Scaffold(
        network="Net",
        program=Program(
            "my 'tools'/train $it.py", TRAINING, folder="my 'tools'", search_path=("a b", "$c")
        ),
        framework=framework,
        python='/opt/my "py"/$HOME`x`/python}',
        data="--data dir=",
        common=("--a", "b c", "$(touch hacked)", "`x`", "'", ""),
        full=("*",),
    )
    below = replace(made, name="other", program=Program("a.ipynb", TRAINING))
    writing.write(tmp_path, writing.files([made, below]), force=False)
    ended = subprocess.run(
        (_SHELLCHECK, *shell_scripts(tmp_path)), capture_output=True, text=True, check=False
    )
    assert ended.stdout == ""
    shown = 'source settings.sh; printf "%s\\n" "$entry" "$python" "${common_arguments[@]}"'
    said = subprocess.run(
        ("bash", "-c", shown), cwd=tmp_path / "test", env={}, stdout=subprocess.PIPE, text=True,
        check=True,
    )  # fmt: skip
    assert said.stdout.split("\n")[:-1] == [made.program.path, made.python, *made.common]


def test_nothing_is_replaced_without_force(project: Path) -> None:
    own = project / "test" / "settings.sh"
    own.write_text("mine")
    refused = ascendify("scaffold", project)
    assert refused.returncode == 2
    assert "exist already" in refused.stderr
    assert "--force" in refused.stderr
    assert own.read_text() == "mine"
    assert ascendify("scaffold", project, "--force").returncode == 0
    assert own.read_text() != "mine"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(("nowhere",), "nowhere is not a folder", id="no-folder"),
        pytest.param((".",), "nothing in . trains: no program was found", id="no-program"),
        pytest.param((".", "--program", "x.py"), "--program x.py does not exist", id="no-file"),
        pytest.param(
            (".", "--devices", "0"), "--devices 0 are not those of a server", id="devices"
        ),
        pytest.param((".", "--servers", "1"), "--servers 1 is no cluster", id="servers"),
        pytest.param(
            ("two", "--program", "train_a.py", "--network", "a/b"), "--network a/b", id="network"
        ),
        pytest.param(
            ("two", "--program", "train_a.py", "--full-args", "'"),
            "No closing quotation",
            id="quotes",
        ),
    ],
)
def test_refusals(tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    (tmp_path / "two").mkdir()
    (tmp_path / "two" / ".gitignore").write_text("")
    for name in ("train_a.py", "train_b.py"):
        (tmp_path / "two" / name).write_text(TRAINER)
    if arguments[0] == ".":
        shutil.rmtree(tmp_path / "two")
    ended = ascendify("scaffold", *arguments, cwd=tmp_path)
    assert ended.returncode == 2
    assert message in ended.stderr
    assert "Traceback" not in ended.stderr


# --- what is found in a project --------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "known"),
    [
        pytest.param(
            "p.add_argument('-b', '--batch-size', default=256)\n"
            "p.add_argument('data', metavar='DIR')\np.add_argument('--epochs', default=90)",
            ScriptOptions("", "--batch-size=", 256, ("--epochs=1",)),
            id="argparse",
        ),
        pytest.param(
            "flags.DEFINE_string('dataset_dir', None, 'x')\n"
            "flags.DEFINE_integer('max_number_of_steps', 10, 'x')\n"
            "tf.app.flags.DEFINE_integer('batch_size', 32, 'x')",
            ScriptOptions("--dataset_dir=", "--batch_size=", 32, ("--max_number_of_steps=100",)),
            id="flags",
        ),
        pytest.param(
            "@click.option('--data_path')\ndef f(data_path): pass",
            ScriptOptions("--data_path="),
            id="click",
        ),
        pytest.param(
            "import fire\ndef train(data_dir, batch_size=4, *, steps=9): pass\nfire.Fire(train)",
            ScriptOptions("--data_dir=", "--batch_size=", 4, ("--steps=100",)),
            id="fire",
        ),
        pytest.param("print 'Python 2'", ScriptOptions(), id="unreadable"),
        pytest.param("p.add_argument('--lr')", ScriptOptions(), id="nothing"),
    ],
)
def test_options_of_a_script(source: str, known: options.ScriptOptions) -> None:
    assert options.read([source]) == known


@pytest.mark.parametrize(
    "divides",
    [
        "dataset, size = npu_device.distribute.shard_and_rebatch_dataset(dataset, 32)\n",
        "session.run(train_op, npu_share({x: batch}))\n",
    ],
)
def test_a_script_that_divides_the_batch_gets_that_of_all_devices(
    project: Path, divides: str
) -> None:
    script = project / "tools" / "train it.py"
    script.write_text(script.read_text() + f"if False:\n    {divides}")
    assert ascendify("scaffold", project, "--force").returncode == 0
    assert "batch_of_all=1" in (project / "test" / "settings.sh").read_text()
    for script_name, batch in (("train_full_1p.sh", 32), ("train_full_8p.sh", 256)):
        ended = run(project, script_name, "--data_path=my data")
        assert ended.returncode == 0, ended.stderr
        assert trained(project)["arguments"]["batch_size"] == batch


def test_options_declared_in_another_module(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(
        "import tensorflow\nimport flags\nif __name__ == '__main__': opt.minimize(loss)"
    )
    (tmp_path / "flags.py").write_text("p.add_argument('--data_dir')")
    assert ascendify("scaffold", tmp_path).returncode == 0
    assert "data_option=--data_dir=" in (tmp_path / "test" / "settings.sh").read_text()


# --- several programs, and those that are no plain script ----------------------------------------

PRINTS = "print('ran', __name__, __package__ or '', *sys.argv[1:])\n"
TRAINS = f"import sys, torch\nif 0: loss.backward()\n{PRINTS}"


@pytest.fixture
def torch_stub(tmp_path: Path) -> str:
    """A folder with an empty torch: what is started here only says that it was."""
    (tmp_path / "stub").mkdir()
    (tmp_path / "stub" / "torch.py").write_text("")
    return str(tmp_path / "stub")


def scripts_for(tmp_path: Path, files: dict[str, str], *arguments: str) -> tuple[Path, str]:
    """Write a project and its launch scripts; return its folder and what was said."""
    folder = tmp_path / "net"
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    ended = ascendify("scaffold", folder, *arguments)
    assert ended.returncode == 0, ended.stderr
    return folder, ended.stderr


def log_of(folder: Path, scripts: str = "test") -> str:
    return (folder / scripts / "output" / "0" / "train_0.log").read_text()


def test_each_program_has_its_scripts(tmp_path: Path, torch_stub: str) -> None:
    files = {"train.py": TRAINS, "sub/b.py": TRAINS, "prepare.py": "if __name__ == '__main__': 1"}
    folder, said = scripts_for(tmp_path, files)
    assert "test starts train.py: training" in said
    assert "test/sub_b starts sub/b.py: training" in said
    assert "no scripts for 1 other program" in said
    for scripts in ("test", "test/sub_b"):
        ended = run(folder, f"../{scripts}/train_full_1p.sh", PYTHONPATH=torch_stub)
        assert ended.returncode == 0, ended.stderr
        assert "ran __main__" in log_of(folder, scripts)


STARTS = [
    pytest.param(
        {
            "pkg/__init__.py": "",
            "pkg/train.py": "import sys\nfrom . import own\n"
            "if __name__ == '__main__':\n    own.fit()\n    " + PRINTS,
            "pkg/own.py": "import torch\ndef fit():\n    if 0: loss.backward()\n",
        },
        "ran __main__ pkg",
        id="relative-imports",
    ),
    pytest.param(
        {
            "pkg/__init__.py": "",
            "pkg/__main__.py": TRAINS,
        },
        "ran __main__ pkg",
        id="package",
    ),
    pytest.param(
        {
            "src/lib/own.py": "",
            "src/tools/train.py": "import sys, torch\nimport lib.own\nif 0: loss.backward()\n"
            + PRINTS,
        },
        "ran __main__",
        id="imports-from-a-folder-between",
    ),
    pytest.param(
        {
            "sub/data/list.txt": "",
            "sub/train.py": "import sys, torch\nif 0: loss.backward()\n"
            "open('data/list.txt')\n" + PRINTS,
        },
        "ran __main__",
        id="paths-from-its-own-folder",
    ),
    pytest.param(
        {
            "nb/Train it.ipynb": json.dumps(
                {
                    "cells": [
                        {"cell_type": "markdown", "source": ["# text"]},
                        {
                            "cell_type": "code",
                            "source": ["%matplotlib inline\n", "import own, sys\n"],
                        },
                        {"cell_type": "code", "source": "%%bash\nexit 3"},
                        {
                            "cell_type": "code",
                            "source": ["!pip install x\n", "if 0: l.backward()\n"],
                        },
                        {"cell_type": "code", "source": PRINTS},
                    ],
                    "metadata": {},
                    "nbformat": 4,
                    "nbformat_minor": 4,
                }
            ),
            "nb/own.py": "import torch",
        },
        "ran __main__",
        id="notebook",
    ),
]


@pytest.mark.parametrize(("files", "printed"), STARTS)
def test_programs_start(
    tmp_path: Path, torch_stub: str, files: dict[str, str], printed: str
) -> None:
    folder, _ = scripts_for(tmp_path, files)
    ended = run(folder, SCRIPTS[0], PYTHONPATH=torch_stub)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert printed in log_of(folder)


def test_ascendify_starts_them_too(tmp_path: Path, torch_stub: str) -> None:
    files = {"sub/pkg/__init__.py": "", "sub/pkg/__main__.py": TRAINS}
    folder, _ = scripts_for(tmp_path, files)
    ended = run(folder, SCRIPTS[0], path=WITH_ASCENDIFY, PYTHONPATH=torch_stub)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "ran __main__ pkg" in log_of(folder)


def test_ranks_that_train_apart_are_said_to(tmp_path: Path, torch_stub: str) -> None:
    folder, said = scripts_for(tmp_path, {"train.py": TRAINS})
    assert "nothing in train.py averages gradients" in said
    for name in SCRIPTS:
        top = (folder / "test" / name).read_text().splitlines()[1]
        assert top.startswith("# NOTE: nothing in train.py averages gradients") == ("8p" in name)
    for name in SCRIPTS[0], SCRIPTS[2]:
        ended = run(folder, name, PYTHONPATH=torch_stub)
        assert ended.returncode == 0, ended.stderr
        assert ("[Warning] nothing in train.py averages" in ended.stderr) == ("8p" in name)


def test_ranks_that_average_are_not(project: Path) -> None:
    for name in SCRIPTS:
        assert "NOTE" not in (project / "test" / name).read_text()


def test_another_number_of_devices(tmp_path: Path, torch_stub: str) -> None:
    folder, _ = scripts_for(tmp_path, {"train.py": TRAINS}, "--devices", "4")
    names = {path.name for path in (folder / "test").glob("train_*")}
    assert names == {name.replace("8p", "4p") for name in SCRIPTS}
    assert {path.name for path in (folder / "configs").iterdir()} == {
        "rank_table_4p.json",
        "rank_table_2x4.json",
    }
    ended = run(folder, "train_full_4p.sh", PYTHONPATH=torch_stub)
    assert ended.returncode == 0, ended.stderr
    assert (folder / "test" / "output" / "3").is_dir()


def test_one_device_only(tmp_path: Path) -> None:
    folder, said = scripts_for(tmp_path, {"train.py": TRAINS}, "--devices", "1")
    assert {path.name for path in (folder / "test").glob("train_*")} == set(SCRIPTS[:2])
    assert not (folder / "configs").exists()
    assert "averages" not in said


def test_programs_are_listed(tmp_path: Path) -> None:
    folder = tmp_path / "net"
    folder.mkdir()
    (folder / "train.py").write_text("import torch\nloss.backward()\n")
    (folder / "eval.py").write_text("import torch\nif __name__ == '__main__': 1\n")
    ended = ascendify("scaffold", folder, "--list")
    assert ended.returncode == 0
    assert ended.stdout.splitlines() == [
        "train.py: training; trains with loss.backward (train.py:2); "
        "started by code at module level",
        "eval.py: evaluation; started by its main guard",
    ]
    assert not (folder / "test").exists()


# --- on ModelArts --------------------------------------------------------------------------------


def test_modelarts_entry(project: Path, tmp_path: Path) -> None:
    shared = (project / "test" / "common.sh").read_text()
    taken = re.findall(r"--(\w+)\) \w+=\"\$value\"", shared)
    assert sorted(taken) == sorted(["data_path", *writing.SCRIPT_SWITCHES])
    target = tmp_path / "delivered"
    ended = subprocess.run(
        (
            *(sys.executable, project / "modelarts_entry_perf.py"),
            *(f"--data_url={tmp_path / 'my data'}", f"--train_url={target}", "--batch_size", "8"),
            *("--precision_mode=force_fp32", "--title", "from ModelArts"),
        ),
        env={**user_environment(), "PATH": PLAIN, "PYTHON": sys.executable},
        capture_output=True,
        text=True,
        check=False,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stdout + ended.stderr
    found = trained(project)
    assert found["arguments"] == {
        **{"data_dir": str(tmp_path / "my data"), "batch_size": 8, "max_steps": 100},
        **{"title": "from ModelArts", "fail": ""},
    }
    assert found["options"] == {"precision_mode": "force_fp32"}
    assert found["environment"]["OUTPUT_PATH"]
    assert (target / "logs" / "0" / "train_0.log").is_file()


# --- scripts run -----------------------------------------------------------------------------


@both_ways
@pytest.mark.parametrize("script", SCRIPTS)
def test_every_script_trains(project: Path, script: str, path: str) -> None:
    ended = run(project, script, "--data_path=my data", path=path)
    assert ended.returncode == 0, ended.stderr
    devices = 8 if "8p" in script else 1
    for device in range(devices):
        reported = trained(project, device)
        place = {"RANK_ID": device, "RANK_SIZE": devices, "ASCEND_DEVICE_ID": device}
        assert {name: reported["environment"][name] for name in place} == {
            name: str(value) for name, value in place.items()
        }
        assert ("RANK_TABLE_FILE" in reported["environment"]) == (devices > 1)
        assert reported["arguments"] == {
            "data_dir": str(project.parent / "my data"),
            "batch_size": 32,
            "max_steps": 100 if "performance" in script else 5000,
            "title": "a 'b' $c",
            "fail": "",
        }
    kind = "perf" if "performance" in script else "acc"
    name = f"Net_ID0001_bs32_{devices}p_{kind}"
    case = (project / "test" / "output" / "0" / f"{name}.log").read_text()
    lines = dict(line.split(" = ", 1) for line in case.splitlines())
    assert list(lines) == [
        *("Network", "RankSize", "BatchSize", "DeviceType", "CaseName", "ActualFPS"),
        *("TrainingTime", "TrainAccuracy", "ActualLoss", "E2ETrainingTime"),
    ]
    assert lines["CaseName"] == name
    assert lines["RankSize"] == str(devices)
    assert float(lines["ActualLoss"]) == 0.2
    assert float(lines["ActualFPS"]) > 0
    assert "Final result" in ended.stdout
    assert f"Final Performance images/sec : {lines['ActualFPS']}" in ended.stdout


def test_arguments_of_one_run(project: Path) -> None:
    arguments = ("--data_path", "my data", "--batch_size", "8", "--", "--title", "other one")
    ended = run(project, SCRIPTS[0], *arguments)
    assert ended.returncode == 0, ended.stderr
    assert trained(project)["arguments"]["title"] == "other one"
    assert trained(project)["arguments"]["batch_size"] == 8
    assert trained(project)["environment"]["DATA_PATH"] == str(project.parent / "my data")


OUTPUT = "{project}/test/output"
SWITCHES = [
    pytest.param((), {}, id="none"),
    pytest.param(
        ("--precision_mode=allow_mix_precision",),
        {"precision_mode": "allow_mix_precision"},
        id="precision",
    ),
    pytest.param(
        ("--over_dump=True",),
        {
            "enable_dump_debug": True,
            "dump_debug_mode": "all",
            "dump_path": f"{OUTPUT}/overflow_dump",
        },
        id="over_dump",
    ),
    pytest.param(
        ("--data_dump_flag=True", "--data_dump_step=0|5|10-20"),
        {
            "enable_dump": True,
            "dump_mode": "all",
            "dump_step": "0|5|10-20",
            "dump_path": f"{OUTPUT}/data_dump",
        },
        id="data_dump",
    ),
    pytest.param(
        ("--profiling", "true"),
        {
            "profiling_mode": True,
            "profiling_options": f'{{"output": "{OUTPUT}/profiling", "training_trace": "on", '
            '"task_trace": "on", "aicpu": "on", "aic_metrics": "PipeUtilization"}',
        },
        id="profiling",
    ),
    pytest.param(
        ("--autotune=1",), {"aoe_mode": "2", "work_path": f"{OUTPUT}/autotune"}, id="autotune"
    ),
    pytest.param(("--over_dump=False", "--profiling=0"), {}, id="off"),
]


def expected(project: Path, options: dict[str, Any]) -> dict[str, Any]:
    return {
        key: value.replace("{project}", str(project)) if isinstance(value, str) else value
        for key, value in options.items()
    }


@both_ways
@pytest.mark.parametrize(("arguments", "options"), SWITCHES)
def test_switches_arrive(
    project: Path, arguments: tuple[str, ...], options: dict[str, Any], path: str
) -> None:
    ended = run(project, SCRIPTS[0], "--data_path=my data", *arguments, path=path)
    assert ended.returncode == 0, ended.stderr
    found = trained(project)["options"]
    assert found == expected(project, options)
    for name in ("dump_path", "work_path"):
        assert name not in found or Path(found[name]).is_dir()


def test_files_of_switches_arrive(project: Path) -> None:
    (project / "ops_info.json").write_text("{}", encoding="utf-8")
    (project.parent / "my fusions.cfg").write_text("{}", encoding="utf-8")
    words = ("--precision_mode=allow_mix_precision", "--use_mixlist=True", "--fusion_off_flag=True",
             "--fusion_off_file=my fusions.cfg", "--over_dump=True",
             "--over_dump_path=my dumps")  # fmt: skip
    ended = run(project, SCRIPTS[0], "--data_path=my data", *words)
    assert ended.returncode == 0, ended.stderr
    assert trained(project)["options"] == {
        "precision_mode": "allow_mix_precision",
        "modify_mixlist": str(project / "ops_info.json"),
        "fusion_switch_file": str(project.parent / "my fusions.cfg"),
        "enable_dump_debug": True,
        "dump_debug_mode": "all",
        "dump_path": str(project.parent / "my dumps"),
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(("--use_mixlist=1",), "ops_info.json does not exist", id="no-mixlist"),
        pytest.param((), "--data_path must be given", id="no-data"),
        pytest.param(("--data_path=none",), "none does not exist", id="data-not-there"),
        pytest.param(("--over_dump=yes",), "--over_dump is 'yes'; expected True", id="bool"),
        pytest.param(("--batch_size=x",), "--batch_size is 'x'; expected a number", id="number"),
        pytest.param(("--batch",), "--batch needs a value", id="no-value"),
        pytest.param(("--lr=1",), "--lr is no switch", id="unknown"),
        pytest.param(("my data",), "'my data' is no switch", id="no-switch"),
        pytest.param(
            ("--over_dump=True", "--data_dump_flag=True"), "exclude each other", id="both-dumps"
        ),
        pytest.param(("--servers=2",), "--servers needs all devices of each", id="servers-of-one"),
    ],
)
def test_wrong_switches(project: Path, arguments: tuple[str, ...], message: str) -> None:
    data = () if "data" in message else ("--data_path=my data",)
    ended = run(project, SCRIPTS[0], *data, *arguments)
    assert ended.returncode == 2
    assert message in ended.stderr
    assert not (project / "test" / "output").exists()


def test_help(project: Path) -> None:
    ended = run(project, SCRIPTS[0], "--help")
    assert ended.returncode == 0
    for switch in ("data_path", "precision_mode", "over_dump", "data_dump_flag", "data_dump_step",
                   "profiling", "use_mixlist", "mixlist_file", "fusion_off_flag",
                   "fusion_off_file", "autotune"):  # fmt: skip
        assert f"--{switch}=" in ended.stdout


def test_a_switch_that_would_reach_nothing_is_refused(project: Path) -> None:
    (project / "tools" / "npu_options.py").unlink()
    ended = run(project, SCRIPTS[0], "--data_path=my data", "--precision_mode=force_fp32")
    assert ended.returncode == 2
    assert "npu_options.py, which is not there" in ended.stderr
    warned = ascendify("scaffold", project, "--force")
    assert "there is no npu_options.py beside tools/train it.py" in warned.stderr


@both_ways
def test_a_device_that_fails_ends_all(project: Path, path: str) -> None:
    arguments = ("--data_path=my data", "--", "--fail", "3")
    ended = run(project, "train_full_8p.sh", *arguments, path=path)
    assert ended.returncode not in (0, 2)
    assert "ValueError: the data are bad" in ended.stderr
    assert "Final result" not in ended.stdout
    assert not any(map(is_alive, processes_in(project / "processes")))


def test_an_interruption_ends_all(project: Path) -> None:
    arguments = ("--data_path=my data", "--", "--fail", "none")
    running = subprocess.Popen(
        ("bash", str(project / "test" / "train_full_8p.sh"), *arguments),
        cwd=project.parent,
        env={**user_environment(), "PATH": PLAIN, "PYTHON": sys.executable},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    file = project / "processes"
    assert wait_until(lambda: file.exists() and len(processes_in(file)) == 8)
    running.send_signal(signal.SIGTERM)
    assert running.wait(PATIENCE) == 143
    assert not any(map(is_alive, processes_in(file)))


@both_ways
def test_one_of_several_servers(project: Path, path: str) -> None:
    arguments = ("--data_path=my data", "--servers=2", "--server_index=1")
    ended = run(project, "train_full_8p.sh", *arguments, path=path)
    assert ended.returncode == 0, ended.stderr
    reported = [trained(project, device)["environment"] for device in range(8)]
    assert [each["RANK_ID"] for each in reported] == [str(rank) for rank in range(8, 16)]
    assert {each["RANK_SIZE"] for each in reported} == {"16"}
    assert [each["ASCEND_DEVICE_ID"] for each in reported] == [str(device) for device in range(8)]
    table = json.loads(Path(reported[0]["RANK_TABLE_FILE"]).read_text())
    assert table["server_count"] == "2"


# --- on a CPU instead of an NPU ----------------------------------------------------------------


def test_emulated_on_eight_devices(project: Path) -> None:
    ended = run(
        project, SCRIPTS[2], "--data_path=my data", path=WITH_ASCENDIFY, ASCENDIFY_EMULATE="1"
    )
    assert ended.returncode == 0, ended.stderr
    assert trained(project, 7)["environment"]["ASCENDIFY_JOB"]


def test_emulation_needs_ascendify(project: Path) -> None:
    ended = run(project, SCRIPTS[0], "--data_path=my data", ASCENDIFY_EMULATE="1")
    assert ended.returncode == 2
    assert "pip install ascendify" in ended.stderr


SESSION = """
import json
import tensorflow.compat.v1 as tf
from npu_options import session_config
tf.disable_v2_behavior()
if __name__ == "__main__":
    with tf.Session(config=session_config()) as session:
        (entry,) = session._config.graph_options.rewrite_options.custom_optimizers
        reported = {}
        for key, value in entry.parameter_map.items():
            field = value.WhichOneof("value")
            found = getattr(value, field)
            reported[key] = found.decode() if field == "s" else found
    print("options", json.dumps(reported))
"""


@pytest.mark.parametrize(("arguments", "options"), SWITCHES[1:6])
def test_switches_reach_the_session(
    tmp_path: Path, preloaded_tensorflow: str, arguments: tuple[str, ...], options: dict[str, Any]
) -> None:
    project = tmp_path / "net"
    project.mkdir()
    (project / "train.py").write_text(SESSION)
    (project / "npu_options.py").write_text(options_module.render({}))
    assert ascendify("scaffold", project).returncode == 0
    emulated = {"PYTHON": preloaded_tensorflow, "ASCENDIFY_EMULATE": "1"}
    ended = run(project, SCRIPTS[0], *arguments, path=WITH_ASCENDIFY, **emulated)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    (line,) = [line for line in ended.stdout.splitlines() if line.startswith("options ")]
    found = json.loads(line.partition(" ")[2])
    assert {key: found[key] for key in options} == expected(project, options)


# --- PyTorch -----------------------------------------------------------------------------------


@pytest.fixture
def torch_project(tmp_path: Path) -> Path:
    folder = tmp_path / "net"
    folder.mkdir()
    (folder / "train.py").write_text(TRAINER.replace("import tensorflow", "import torch"))
    (tmp_path / "my data").mkdir()
    assert ascendify("scaffold", folder).returncode == 0
    return folder


def test_pytorch_on_eight_devices(torch_project: Path) -> None:
    ended = run(torch_project, "train_full_8p.sh", "--data_path=my data")
    assert ended.returncode == 0, ended.stderr
    reported = trained(torch_project, 5)["environment"]
    assert (reported["RANK"], reported["LOCAL_RANK"], reported["WORLD_SIZE"]) == ("5", "5", "8")
    assert reported["MASTER_ADDR"] == "127.0.0.1"


@both_ways
def test_pytorch_is_profiled_by_msprof(torch_project: Path, tmp_path: Path, path: str) -> None:
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "msprof"
    program.write_text('#!/bin/sh\necho "$1" > "$(dirname "$0")/profiled"\nshift\nexec "$@"\n')
    program.chmod(0o755)
    arguments = ("--data_path=my data", "--profiling=True")
    ended = run(torch_project, SCRIPTS[1], *arguments, path=f"{tmp_path / 'bin'}:{path}")
    assert ended.returncode == 0, ended.stderr
    profiled = (tmp_path / "bin" / "profiled").read_text()
    assert profiled == f"--output={torch_project}/test/output/profiling\n"
    assert trained(torch_project)["arguments"]["max_steps"] == 100


@pytest.mark.parametrize(
    ("switch", "call"),
    [
        ("--precision_mode=force_fp32", "torch_npu.npu.set_option"),
        ("--over_dump=True", "npu_check_overflow"),
        ("--data_dump_flag=True", "torch_npu.npu.init_dump()"),
        ("--autotune=True", "torch_npu.npu.set_aoe"),
        ("--profiling=True", "needs msprof"),
    ],
)
def test_pytorch_refuses_what_it_cannot_switch(torch_project: Path, switch: str, call: str) -> None:
    ended = run(torch_project, SCRIPTS[0], "--data_path=my data", switch)
    assert ended.returncode == 2
    assert call in ended.stderr
