"""``ascendify port``: what it writes, and what an update keeps of people's edits."""

from __future__ import annotations

import json
import stat
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from ascendify.port.merge import YOURS
from support.commands import ascendify

TRAIN = '''\
"""Train."""
import argparse

import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument('--batch_size', type=int, default=8)
parser.add_argument('--data_dir', default='data')
args = parser.parse_args()


def model(x):
    return tf.layers.dense(x, 1)


x = tf.placeholder(tf.float32, [args.batch_size, 4])
loss = tf.reduce_mean(tf.square(model(x)))
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(4):
        print(sess.run([train_op, loss], {x: [[1.0] * 4] * args.batch_size})[1])
'''
TORCH = """\
import torch

model = torch.nn.Linear(4, 1).to(torch.device("cuda"))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(4):
    loss = model(torch.ones(2, 4, device="cuda")).sum()
    loss.backward()
    optimizer.step()
"""
README = "# A project\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "train.py").write_text(TRAIN)
    (folder / "README.md").write_text(README)
    (folder / "weights.bin").write_bytes(bytes(range(256)))
    (folder / "tool.sh").write_text("#!/bin/sh\necho hello\n")
    (folder / "tool.sh").chmod(0o755)
    return folder


@pytest.fixture
def output(tmp_path: Path) -> Path:
    return tmp_path / "port"


def port(project: Path, output: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return ascendify("port", str(project), "-o", str(output), *options)


def snapshot(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_a_port_has_everything(project: Path, output: Path) -> None:
    before = snapshot(project)
    ended = port(project, output)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.startswith(f"READY: {output}, for 1 and 8 devices\n")
    files = snapshot(output)
    assert {
        ".ascendify/port.zip",
        "README_npu.md",
        "configs/rank_table_8p.json",
        "modelarts_entry_acc.py",
        "npu_options.py",
        "test/env.sh",
        "test/settings.sh",
        "test/train_full_1p.sh",
        "test/train_full_8p.sh",
        "train.py",
    } <= set(files)
    text = files["train.py"].decode()
    assert "npu_distributed_optimizer_wrapper(" in text
    assert "loss_scale_optimizer(" in text
    assert "session_config()" in text
    assert files["weights.bin"] == before["weights.bin"]
    assert stat.S_IMODE((output / "tool.sh").stat().st_mode) == 0o755
    assert snapshot(project) == before
    assert sorted(path.name for path in output.parent.iterdir()) == ["port", "project"]


def test_the_readme_names_commands_that_exist(project: Path, output: Path) -> None:
    port(project, output)
    text = (output / "README_npu.md").read_text(encoding="utf-8")
    commands = [line for line in text.splitlines() if line.startswith("| `train.py`")]
    assert len(commands) == 2
    for line in commands:
        script = line.split("`")[3].split()[1]
        assert (output / script).is_file()
    assert "@" not in text
    assert "gradients are averaged by npu_distributed_optimizer_wrapper" in text


def test_options_have_defaults_that_change_nothing(project: Path, output: Path) -> None:
    port(project, output)
    text = (output / "npu_options.py").read_text(encoding="utf-8")
    assert "\nOPTIONS = {}\n" in text
    assert "\nLOSS_SCALE = None\n" in text


def test_one_device_is_not_made_data_parallel(project: Path, output: Path) -> None:
    ended = port(project, output, "--devices", "1")
    assert ended.stdout.startswith(f"READY: {output}, for 1 device\n")
    assert "npu_distributed" not in (output / "train.py").read_text()
    assert not list(output.glob("test/*8p*"))
    assert not (output / "configs").exists()


def test_several_devices_are_promised_only_where_something_averages(
    project: Path, output: Path
) -> None:
    train = TRAIN.replace(".minimize(loss)", ".minimize(loss)  # ascendify: ignore")
    (project / "train.py").write_text(train.replace("tf.train.Grad", "mine.Grad"))
    (project / "mine.py").write_text("from other import GradientDescentOptimizer\n")
    text = port(project, output, "--program", "train.py").stdout
    assert text.startswith(f"READY: {output}, for 1 device\n")
    assert "train.py: nothing averages gradients, so train_*_8p.sh would train a model" in text
    assert "train_full_1p.sh" in text
    assert "train_full_8p.sh" not in text


def test_a_script_of_the_project_is_kept_and_named(project: Path, output: Path) -> None:
    (project / "test").mkdir()
    (project / "test" / "env.sh").write_text("export MINE=1\n")
    ended = port(project, output)
    assert (output / "test" / "env.sh").read_text() == "export MINE=1\n"
    assert "test/env.sh is the project's own, and was kept" in ended.stdout


def test_warnings_about_options_are_printed(project: Path, output: Path) -> None:
    ended = port(project, output, "--precision-mode", "allow_mix_precision")
    assert ended.stderr.startswith("warning: ")
    assert "loss_scale" in ended.stderr


def test_the_folder_beside_the_project_is_the_default(project: Path) -> None:
    ended = ascendify("port", str(project))
    assert ended.returncode == 0, ended.stderr
    assert (project.parent / "project_npu" / "README_npu.md").is_file()


def test_running_it_again_changes_nothing(project: Path, output: Path) -> None:
    port(project, output)
    before = snapshot(output)
    ended = port(project, output)
    assert "has not changed since the last run" in ended.stdout
    assert snapshot(output) == before


def test_edits_of_people_and_changes_of_the_original_are_both_kept(
    project: Path, output: Path
) -> None:
    port(project, output)
    train = output / "train.py"
    train.write_text(train.read_text().replace("dense(x, 1)", "dense(x, 1, use_bias=False)"))
    (output / "notes.txt").write_text("mine\n")
    settings = output / "test" / "settings.sh"
    settings.write_text(settings.read_text() + "export MINE=1\n")
    (project / "train.py").write_text(TRAIN.replace("range(4)", "range(40)"))
    (project / "new.py").write_text("import os\n")
    (project / "README.md").unlink()
    ended = port(project, output)
    assert ended.returncode == 0, ended.stdout
    text = train.read_text()
    assert "use_bias=False" in text
    assert "range(40)" in text
    assert (output / "notes.txt").read_text() == "mine\n"
    assert settings.read_text().endswith("export MINE=1\n")
    assert (output / "new.py").is_file()
    assert not (output / "README.md").exists()
    assert "1 added, 1 merged with your edits, 1 kept as you edited them, 1 removed" in ended.stdout


def test_a_conflict_is_shown_and_nothing_is_lost(project: Path, output: Path) -> None:
    port(project, output)
    train = output / "train.py"
    train.write_text(train.read_text().replace("range(4)", "range(7)"))
    (project / "train.py").write_text(TRAIN.replace("range(4)", "range(40)"))
    ended = port(project, output)
    assert ended.returncode == 1
    text = train.read_text()
    assert "range(7)" in text
    assert "range(40)" in text
    line = text.splitlines().index(YOURS) + 1
    assert f"1. train.py:{line}: 1 conflict between your edits and the original's" in ended.stdout
    again = port(project, output)
    assert again.returncode == 1
    assert "a conflict of an earlier update is not resolved" in again.stdout
    train.write_text(train.read_text().replace(YOURS, ""))
    assert "NOT READY" not in port(project, output).stdout


def test_data_that_both_changed_stands_side_by_side(project: Path, output: Path) -> None:
    port(project, output)
    (output / "weights.bin").write_bytes(b"\0mine")
    (project / "weights.bin").write_bytes(b"\0theirs")
    ended = port(project, output)
    assert "weights.bin: you and the original changed it; the new one is" in ended.stdout
    assert (output / "weights.bin").read_bytes() == b"\0mine"
    assert (output / "weights.bin.ported").read_bytes() == b"\0theirs"
    assert "weights.bin.ported is still beside it" in port(project, output).stdout
    (output / "weights.bin.ported").unlink()
    assert "weights.bin" not in port(project, output).stdout


def test_edits_follow_a_file_that_the_original_moved(project: Path, output: Path) -> None:
    port(project, output)
    train = output / "train.py"
    train.write_text(train.read_text().replace("dense(x, 1)", "dense(x, 1, use_bias=False)"))
    (project / "train.py").unlink()
    (project / "src").mkdir()
    (project / "src/run.py").write_text(TRAIN.replace("range(4)", "range(40)"))
    (project / "src/other.py").write_text("import os\n")
    ended = port(project, output)
    assert "in conflict" not in ended.stdout
    text = (output / "src/run.py").read_text()
    assert "use_bias=False" in text
    assert "range(40)" in text
    assert not train.exists()


def test_edits_of_a_removed_file_go_to_no_other_file(project: Path, output: Path) -> None:
    port(project, output)
    train = output / "train.py"
    train.write_text(train.read_text() + "# mine\n")
    (project / "train.py").unlink()
    (project / "other.py").write_text("import tensorflow as tf\n\nprint(tf.constant(1))\n")
    ended = port(project, output)
    assert "train.py: the original no longer has it; kept because you edited it" in ended.stdout
    assert train.read_text().endswith("# mine\n")
    assert "# mine" not in (output / "other.py").read_text()


@pytest.mark.parametrize(
    ("edit", "change", "expected"),
    [
        ("removed", "none", None),
        ("removed", "changed", "it is back"),
        ("changed", "removed", "the original no longer has it"),
        ("removed", "removed", None),
    ],
)
def test_removed_files(
    project: Path, output: Path, edit: str, change: str, expected: str | None
) -> None:
    port(project, output)
    acts: dict[str, Callable[[Path], object]] = {
        "removed": lambda path: path.unlink(),
        "changed": lambda path: path.write_text("# other\n"),
        "none": lambda path: None,
    }
    acts[edit](output / "README.md")
    acts[change](project / "README.md")
    ended = port(project, output)
    assert ended.returncode == (1 if expected else 0)
    if expected:
        assert expected in ended.stdout
    assert (output / "README.md").exists() == bool(expected)


def test_options_are_remembered_until_they_are_given_again(project: Path, output: Path) -> None:
    port(project, output, "--devices", "4", "--precision-mode", "allow_mix_precision")
    assert (output / "test" / "train_full_4p.sh").is_file()
    port(project, output)
    assert (output / "test" / "train_full_4p.sh").is_file()
    options = output / "npu_options.py"
    assert '"precision_mode": "allow_mix_precision"' in options.read_text()
    port(project, output, "--devices", "8", "--precision-mode", "force_fp32")
    assert not (output / "test" / "train_full_4p.sh").exists()
    assert (output / "test" / "train_full_8p.sh").is_file()
    assert '"precision_mode": "force_fp32"' in options.read_text()


def test_the_switch_for_libraries_is_remembered(project: Path, output: Path) -> None:
    (project / "train.py").write_text(TORCH)
    port(project, output, "--devices", "1", "--transfer", "train.py")
    text = (output / "train.py").read_text()
    assert "from torch_npu.contrib import transfer_to_npu" in text
    assert 'torch.device("npu")' in text
    port(project, output)
    assert (output / "train.py").read_text() == text


def test_the_switch_for_the_whole_project_is_remembered(project: Path, output: Path) -> None:
    (project / "train.py").write_text(TORCH)
    port(project, output, "--devices", "1", "--style", "transfer")
    text = (output / "train.py").read_text()
    assert "from torch_npu.contrib import transfer_to_npu" in text
    assert 'torch.device("cuda")' in text
    port(project, output)
    assert (output / "train.py").read_text() == text
    port(project, output, "--style", "explicit")
    assert 'torch.device("npu")' in (output / "train.py").read_text()


def test_launch_scripts_set_what_makes_training_faster_only_when_asked(
    project: Path, output: Path
) -> None:
    (project / "train.py").write_text(TORCH)
    environment = output / "test" / "env.sh"
    port(project, output, "--devices", "1")
    assert "TASK_QUEUE_ENABLE" not in environment.read_text()
    port(project, output, "--tune")
    tuned = environment.read_text()
    assert 'export TASK_QUEUE_ENABLE="${TASK_QUEUE_ENABLE:-2}"\n' in tuned
    assert 'export CPU_AFFINITY_CONF="${CPU_AFFINITY_CONF:-2}"\n' in tuned
    port(project, output)  # --tune is remembered
    assert environment.read_text() == tuned


def test_a_program_that_sets_such_a_variable_decides_itself(project: Path, output: Path) -> None:
    setting = 'import os\nos.environ["CUDA_LAUNCH_BLOCKING"] = "1"\n'
    (project / "train.py").write_text(setting + TORCH)
    port(project, output, "--devices", "1", "--tune")
    text = (output / "test" / "env.sh").read_text()
    assert "TASK_QUEUE_ENABLE" not in text
    assert "PYTORCH_NPU_ALLOC_CONF" in text


def test_a_folder_that_is_no_port_is_refused(project: Path, output: Path) -> None:
    output.mkdir()
    (output / "mine.txt").write_text("mine\n")
    ended = port(project, output)
    assert ended.returncode == 2
    assert "is not empty, and 'ascendify port' did not write it" in ended.stderr
    assert snapshot(output) == {"mine.txt": b"mine\n"}


@pytest.mark.parametrize("content", [b"no zip", b""])
def test_a_damaged_record_is_reported(project: Path, output: Path, content: bytes) -> None:
    port(project, output)
    (output / ".ascendify" / "port.zip").write_bytes(content)
    before = snapshot(output)
    ended = port(project, output)
    assert ended.returncode == 2
    assert "the record of this port, cannot be read" in ended.stderr
    assert snapshot(output) == before


def test_a_record_of_another_release_is_refused(project: Path, output: Path) -> None:
    port(project, output)
    record = output / ".ascendify" / "port.zip"
    with zipfile.ZipFile(record, "w") as archive:
        archive.writestr("record.json", json.dumps({"version": 99, "ascendify": "9.0"}))
    ended = port(project, output)
    assert ended.returncode == 2
    assert "was written by ascendify 9.0" in ended.stderr


def test_a_project_that_trains_nothing_is_not_ready(project: Path, output: Path) -> None:
    (project / "train.py").write_text("print('hello')\n")
    ended = port(project, output)
    assert ended.returncode == 1
    assert "no program that trains was found" in ended.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["missing"], "missing is not a folder"),
        (["project", "-o", "project/out"], "is inside the input"),
        (["project", "-o", "project"], "did not write it"),
        (["project", "--devices", "0"], "--devices 0"),
        (["project", "--transfer", "nothing.py"], "the script nothing.py is not a file"),
        (["project", "--program", "nothing.py"], "nothing.py does not exist"),
        (["project", "--report", "project/train.py"], "--report project/train.py is not a folder"),
        (["project", "--verify", "python 'train.py"], "--verify cannot be read"),
    ],
)
def test_mistakes_end_in_two_lines(project: Path, arguments: list[str], message: str) -> None:
    ended = ascendify("port", *arguments, cwd=project.parent)
    assert ended.returncode == 2
    assert message in ended.stderr
    assert len(ended.stderr.splitlines()) == 2
    assert sorted(path.name for path in project.parent.iterdir()) == ["project"]
