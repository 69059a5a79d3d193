"""Settings: the command line over ``[tool.ascendify]``, and an answer to every mistake."""

from __future__ import annotations

import errno
import pickle
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from ascendify.errors import UsageError
from ascendify.migrate.settings import Settings, check_selectors, find_config, load

CODES = ("TF1-SESS-1", "TF1-SESS-10", "TF1-SESS-2", "TF1-DATA-1", "HVD-1")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    (root / "train.py").write_text("import tensorflow as tf\n")
    return root


def configure(folder: Path, toml: str) -> Path:
    file = folder / "pyproject.toml"
    file.write_text(toml, encoding="utf-8")
    return file


# --- where values come from ------------------------------------------------------------------


def test_defaults(project: Path) -> None:
    settings = load(project)
    assert settings == Settings(paths=(project,))


def test_the_file_sets_every_key(project: Path) -> None:
    file = configure(
        project,
        """
        [tool.ascendify]
        exclude = ["third_party/**"]
        distributed = "horovod"
        main = "train.py"
        jobs = 3
        vendor-style = true
        fail-under = 80
        """,
    )
    assert load(project) == Settings(
        paths=(project,),
        exclude=("third_party/**",),
        distributed="horovod",
        main=PurePosixPath("train.py"),
        jobs=3,
        vendor_style=True,
        fail_under=80,
        config=file,
    )


@pytest.mark.parametrize(
    ("key", "toml", "given", "expected"),
    [
        pytest.param("jobs", "jobs = 3", 5, 5, id="number"),
        pytest.param("jobs", "jobs = 3", 0, 0, id="zero-is-given"),
        pytest.param("jobs", "jobs = 3", None, 3, id="none-is-not-given"),
        pytest.param("vendor_style", "vendor-style = true", False, False, id="false-is-given"),
        pytest.param("exclude", 'exclude = ["a"]', ("b",), ("b",), id="list-is-replaced"),
        pytest.param("distributed", 'distributed = "none"', "horovod", "horovod", id="choice"),
    ],
)
def test_the_command_line_beats_the_file(
    project: Path, key: str, toml: str, given: object, expected: object
) -> None:
    configure(project, f"[tool.ascendify]\n{toml}\n")
    assert getattr(load(project, **{key: given}), key) == expected


def test_nearest_file_with_our_table_is_read(project: Path) -> None:
    outer = configure(project.parent, "[tool.ascendify]\njobs = 3\n")
    configure(project, "[tool.other]\njobs = 4\n")
    assert load(project).config == outer
    inner = configure(project, "[tool.ascendify]\njobs = 5\n")
    assert load(project).config == inner
    assert find_config(project / "train.py") == inner


def test_a_run_over_a_part_leaves_the_entry_point_out(project: Path) -> None:
    configure(project, '[tool.ascendify]\nmain = "train.py"\n')
    part = project / "models"
    part.mkdir()
    assert load(part).main is None


def test_scripts_with_the_switch_are_relative_to_the_project(project: Path) -> None:
    configure(project, '[tool.ascendify]\ntransfer = ["train.py"]\n')
    part = project / "models"
    part.mkdir()
    assert load(project).transfer == ("train.py",)
    assert load(project, transfer=(str(project / "train.py"),)).transfer == ("train.py",)
    assert load(part).transfer == ()
    with pytest.raises(UsageError, match=r"the script nowhere\.py is not a file of"):
        load(project, transfer=("nowhere.py",))
    configure(project, '[tool.ascendify]\ntransfer = ["nowhere.py"]\n')
    with pytest.raises(UsageError, match=r"transfer names .*nowhere\.py, which is not a file"):
        load(project)


# --- mistakes in the file --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("toml", "message", "hint"),
    [
        pytest.param('slect = ["TF1"]', "has no key 'slect'", "mean select?", id="typo"),
        pytest.param("colour = 1", "has no key 'colour'", "the keys are distr", id="no-such-key"),
        pytest.param("fail_under = 1", "no key 'fail_under'", "mean fail-under?", id="snake-case"),
        pytest.param(
            'output = "x"', "no key 'output'", "--output on the command line", id="per-run"
        ),
        pytest.param(
            'select = "TF1"', "select is 'TF1'", "a list of strings", id="string-for-list"
        ),
        pytest.param("ignore = [1]", "ignore is [1]", "a list of strings", id="number-in-list"),
        pytest.param("jobs = true", "jobs is true", "a whole number", id="true-is-no-number"),
        pytest.param("jobs = -1", "jobs is -1", "0 for one per core", id="negative"),
        pytest.param("fail-under = 101", "fail-under is 101", "from 0 to 100", id="out-of-range"),
        pytest.param(
            "vendor-style = 1", "vendor-style is 1", "true or false", id="one-is-no-truth"
        ),
        pytest.param('distributed = "mpi"', "distributed is 'mpi'", "tf_strategy", id="choice"),
        pytest.param("distributed = []", "distributed is []", "horovod", id="unhashable-choice"),
        pytest.param("main = {}", "main is a table", "the path of a Python file", id="table"),
        pytest.param('main = "gone.py"', "gone.py, which is not a file", "the path", id="no-file"),
        pytest.param("npu = 1", "npu is 1", "a table of NPU options", id="npu-no-table"),
    ],
)
def test_a_wrong_key_is_named(project: Path, toml: str, message: str, hint: str) -> None:
    file = configure(project, f"[tool.ascendify]\n{toml}\n")
    with pytest.raises(UsageError) as caught:
        load(project)
    assert caught.value.message.startswith(f"{file}: tool.ascendify")
    assert message in caught.value.message
    assert hint in caught.value.hint


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param(b"[tool.ascendify\n", "is not valid TOML", id="syntax"),
        pytest.param(b"[tool.ascendify]\n# \xff\n", "is not UTF-8", id="encoding"),
        pytest.param(b"[tool]\nascendify = 1\n", "tool.ascendify is 1", id="no-table"),
    ],
)
def test_a_file_that_cannot_be_read_is_named(project: Path, content: bytes, message: str) -> None:
    file = project / "pyproject.toml"
    file.write_bytes(content)
    with pytest.raises(UsageError, match=message) as caught:
        load(project)
    assert str(file) in caught.value.message
    assert caught.value.hint


def test_a_value_given_wrong_names_its_flag(project: Path) -> None:
    with pytest.raises(UsageError) as caught:
        load(project, fail_under=101)
    assert caught.value.message == "--fail-under is 101"
    assert caught.value.hint == "expected a whole number from 0 to 100"


# --- which rules -----------------------------------------------------------------------------


def test_selectors_are_folded_to_capitals() -> None:
    assert check_selectors(("tf1-sess", " HVD", "all"), CODES) == ("TF1-SESS", "HVD", "ALL")


@pytest.mark.parametrize(
    ("selector", "hint"),
    [
        pytest.param("TF1-SES", "did you mean TF1-SESS?", id="prefix-within-a-word"),
        pytest.param("TF1-SESS-3", "did you mean TF1-SESS-", id="no-such-number"),
        pytest.param("E501", "ascendify rules lists every code", id="nothing-near"),
    ],
)
def test_unknown_selector(selector: str, hint: str) -> None:
    with pytest.raises(UsageError, match=f"no rule is called {selector}") as caught:
        check_selectors((selector,), CODES)
    assert caught.value.hint.startswith(hint)


def test_an_unknown_selector_says_where_it_stands(project: Path) -> None:
    file = configure(project, '[tool.ascendify]\nignore = ["NOPE"]\n')
    with pytest.raises(UsageError) as caught:
        load(project)
    assert caught.value.message == f"{file}: tool.ascendify.ignore: no rule is called NOPE"
    with pytest.raises(UsageError) as caught:
        load(project, ignore=("NOT",))
    assert caught.value.message == "--ignore: no rule is called NOT"


# --- paths -----------------------------------------------------------------------------------


def test_root(project: Path) -> None:
    models = project / "models"
    models.mkdir()
    assert load(project).root == project
    assert load(project / "train.py").root == project
    assert load(models, project / "train.py").root == project


def test_paths_become_absolute(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)
    settings = load(Path(), output=Path("../out"))
    assert settings.paths == (project,)
    assert settings.output == project.parent / "out"


@pytest.mark.parametrize("main", ["train.py", "project/train.py"], ids=["from-root", "from-here"])
def test_entry_point(project: Path, monkeypatch: pytest.MonkeyPatch, main: str) -> None:
    monkeypatch.chdir(project.parent)
    assert load(project, main=Path(main)).main == PurePosixPath("train.py")


@pytest.mark.parametrize("main", ["gone.py", "other.py", "."], ids=["missing", "outside", "folder"])
def test_wrong_entry_point(project: Path, monkeypatch: pytest.MonkeyPatch, main: str) -> None:
    (project.parent / "other.py").touch()
    monkeypatch.chdir(project.parent)
    with pytest.raises(UsageError, match="is not a file of") as caught:
        load(project, main=Path(main))
    assert "--main" in caught.value.hint


def test_missing_path(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="gone does not exist"):
        load(tmp_path / "gone")


@pytest.mark.parametrize(
    ("output", "more", "message", "hint"),
    [
        pytest.param("project", {}, "is the input", "--in-place", id="same"),
        pytest.param("project/out", {}, "is inside the input", "project_npu", id="inside"),
        pytest.param("link/out", {}, "is inside the input", "project_npu", id="inside-by-symlink"),
        pytest.param(".", {}, "is inside the output", "outside", id="around"),
        pytest.param("file", {}, "is not a directory", "folder", id="file"),
        pytest.param("full", {}, "exists and is not empty", "--force", id="not-empty"),
        pytest.param("new", {"in_place": True}, "both --in-place and", "choose", id="in-place-too"),
        pytest.param("project/out", {"force": True}, "is inside the input", "", id="force-or-not"),
    ],
)
def test_dangerous_output(
    project: Path, output: str, more: dict[str, Any], message: str, hint: str
) -> None:
    here = project.parent
    (here / "file").touch()
    (here / "full").mkdir()
    (here / "full" / "kept.txt").touch()
    (here / "link").symlink_to(project, target_is_directory=True)
    with pytest.raises(UsageError, match=message) as caught:
        load(project, output=here / output, **more)
    assert hint in caught.value.hint


@pytest.mark.parametrize(
    ("output", "more"),
    [
        pytest.param("new", {}, id="new"),
        pytest.param("empty", {}, id="empty"),
        pytest.param("full", {"force": True}, id="forced"),
        pytest.param("full", {"diff": True}, id="nothing-is-written"),
        pytest.param("project_npu", {}, id="a-name-that-only-begins-alike"),
    ],
)
def test_safe_output(project: Path, output: str, more: dict[str, Any]) -> None:
    here = project.parent
    (here / "empty").mkdir()
    (here / "full").mkdir()
    (here / "full" / "kept.txt").touch()
    assert load(project, output=here / output, **more).output == here / output


def test_a_file_may_be_migrated_into_the_folder_next_to_it(project: Path) -> None:
    assert load(project / "train.py", output=project / "out").output == project / "out"


# --- NPU options -----------------------------------------------------------------------------


def test_npu_options_are_typed(project: Path) -> None:
    configure(
        project,
        """
        [tool.ascendify.npu]
        precision-mode = "allow_mix_precision"
        iterations_per_loop = 10
        hcom-parallel = false
        """,
    )
    assert load(project).npu == {
        "precision_mode": "allow_mix_precision",
        "loss_scale": "dynamic",
        "iterations_per_loop": 10,
        "hcom_parallel": False,
    }


def test_npu_options_given_beat_the_file_one_by_one(project: Path) -> None:
    configure(
        project,
        """
        [tool.ascendify.npu]
        precision-mode = "force_fp32"
        iterations-per-loop = 10
        """,
    )
    settings = load(project, npu={"precision_mode": "must_keep_origin_dtype"})
    assert settings.npu == {"precision_mode": "must_keep_origin_dtype", "iterations_per_loop": 10}


LOSS_SCALES = {
    "float16 mixed mode asks for one": ({"precision_mode": "allow_mix_precision"}, "dynamic"),
    "its newer spelling too": ({"precision_mode_v2": "mixed_float16"}, "dynamic"),
    "one that is given stays": ({"precision_mode": "allow_mix_precision", "loss_scale": 512}, 512),
    "none leaves it out": ({"precision_mode": "allow_mix_precision", "loss_scale": "none"}, None),
    "float32 needs none": ({"precision_mode": "force_fp32"}, None),
    "bfloat16 needs none": ({"precision_mode": "allow_mix_precision_bf16"}, None),
}


@pytest.mark.parametrize(("requested", "scale"), LOSS_SCALES.values(), ids=LOSS_SCALES)
def test_loss_scale_where_the_precision_asks_for_it(
    project: Path, requested: dict[str, object], scale: object
) -> None:
    settings = load(project, npu=requested)
    assert settings.npu.get("loss_scale") == scale
    reported = any("loss_scale=dynamic is set too" in warning for warning in settings.warnings)
    assert reported == (scale == "dynamic")


def test_what_an_npu_option_lacks_is_a_warning(project: Path) -> None:
    settings = load(project, npu={"precision_mode": "allow_mix_precision_bf16"})
    assert any("not available" in warning for warning in settings.warnings)


@pytest.mark.parametrize(
    ("key", "value", "message", "hint"),
    [
        pytest.param("precison_mode", "x", "did you mean 'precision_mode'?", "", id="typo"),
        pytest.param("zzzzzz", "x", "unknown NPU option 'zzzzzz'", "--help", id="nothing-near"),
        pytest.param("precision_mode", "fp8", "expected one of force_fp32", "", id="value"),
        pytest.param("iterations_per_loop", 0, "an integer of at least 1", "", id="range"),
        pytest.param("modify_mixlist", "ops.json", "modify_mixlist=ops.json needs", "", id="alone"),
    ],
)
def test_wrong_npu_option(
    project: Path, key: str, value: str | int, message: str, hint: str
) -> None:
    with pytest.raises(UsageError) as caught:
        load(project, npu={key: value})
    assert message in caught.value.message
    assert hint in caught.value.hint
    assert "pyproject.toml" not in caught.value.message
    file = configure(project, f"[tool.ascendify.npu]\n{key} = {value!r}\n")
    with pytest.raises(UsageError) as caught:
        load(project)
    assert caught.value.message.startswith(f"{file}: tool.ascendify.npu: ")
    assert message in caught.value.message


# --- the whole -------------------------------------------------------------------------------


def test_settings_travel_to_worker_processes(project: Path) -> None:
    settings = load(project, jobs=2)
    assert pickle.loads(pickle.dumps(settings)) == settings
    assert hash(settings) == hash(load(project, jobs=2))


def test_unreadable_file_is_named(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = configure(project, "[tool.ascendify]\n")

    def refuse(*_: object, **__: object) -> str:
        raise PermissionError(errno.EACCES, "Permission denied", str(file))

    monkeypatch.setattr(Path, "read_text", refuse)
    with pytest.raises(UsageError) as caught:
        load(project)
    assert caught.value.message == f"cannot read {file}: Permission denied"
