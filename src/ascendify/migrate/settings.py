"""The settings of a run: the command line over ``[tool.ascendify]`` of pyproject.toml, checked.

All options of a run are one frozen ``Settings``. ``load`` is the only way in that checks:
a value that is wrong, whether it was typed on the command line or read from a file, is a
``UsageError`` that names where it stands, what it is and what it should be.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any

from ascendify.catalog import torch_releases
from ascendify.catalog.options import (
    LOSS_SCALE,
    OptionError,
    Value,
    validate,
    wants_loss_scale,
)
from ascendify.errors import UsageError, closest, did_you_mean
from ascendify.rules.registry import codes, covers

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

DISTRIBUTED = ("auto", "add", "horovod", "tf_strategy", "none")
"""How a distributed project is taken over; ``auto`` looks at what the project uses, ``add`` makes
one that uses nothing data-parallel."""

FRAMEWORKS = ("tf1", "tf2", "torch")
"""Values of ``framework``: what a user can declare a project to train with."""

STYLES = ("explicit", "transfer")
"""For PyTorch: rewrite every call, or use torch_npu's transfer_to_npu switch as far as it goes."""


@dataclass(frozen=True)
class Settings:
    """One run, fully decided."""

    paths: tuple[Path, ...]
    """Absolute; ``check`` takes several, ``migrate`` one."""
    output: Path | None = None
    in_place: bool = False
    force: bool = False
    diff: bool = False
    """Compute the changes and write nothing."""
    undo: bool = True
    """Write the patch that undoes the changes beside the output."""
    select: tuple[str, ...] = ()
    """Codes or prefixes of codes that end before a dash; empty for every rule."""
    ignore: tuple[str, ...] = ()
    distributed: str = "auto"
    main: PurePosixPath | None = None
    """The entry point, relative to ``root``; None to find it."""
    jobs: int = 0
    """Worker processes; 0 for one per core."""
    vendor_style: bool = False
    """Import the whole adapter with a star, as the vendor's tool does."""
    framework: str = ""
    """What the project trains with, see ``FRAMEWORKS``; empty to find it out."""
    framework_said_in: str = ""
    """Where that is named: ``--framework``, or the key of a pyproject.toml."""
    style: str = "explicit"
    """How PyTorch code is taken over; see ``STYLES``."""
    transfer: tuple[str, ...] = ()
    """Scripts, relative to ``root``, that import transfer_to_npu for libraries with CUDA inside."""
    torch_npu: str = ""
    """The release of torch_npu to migrate for; empty for the release that the project's files
    require."""
    torch_npu_said_in: str = ""
    """Where that release is named: ``--torch-npu``, or the key of a pyproject.toml."""
    keras: str = ""
    """The release of the keras package that the project trains with, such as ``2.3``, where that
    is known; what the project pins beats it."""
    dynamic_rnn: bool = False
    """Compute LSTM layers of TensorFlow 1 with the NPU's DynamicRNN."""
    fix_drift: bool = False
    """Also mend what newer releases of PyTorch, NumPy and Python removed."""
    tune: bool = False
    """PyTorch: also rewrite what trains the same numbers faster on an NPU."""
    include_tests: bool = False
    """Also migrate files of unit tests, which otherwise stay as they are."""
    exclude: tuple[str, ...] = ()
    """Globs over paths relative to ``root``."""
    npu: Mapping[str, object] = field(default_factory=dict, hash=False)
    """NPU options by name, typed and valid."""
    switches: bool = False
    """Write the module with NPU options even without an option, so that launch scripts can switch
    options on."""
    fail_under: int | None = None
    config: Path | None = None
    """The pyproject.toml that was read, None when there was none."""
    warnings: tuple[str, ...] = ()
    """Warnings about the options; nothing that stops the run."""

    @cached_property
    def root(self) -> Path:
        """The folder every reported path is relative to."""
        return common_root(self.paths)


def common_root(paths: Iterable[Path]) -> Path:
    """The given folder, the folder of the given file, or the folder that several paths share."""
    folders = [path if path.is_dir() else path.parent for path in paths]
    return Path(os.path.commonpath(folders))


def load(*paths: Path, **given: Any) -> Settings:
    """Check the settings for these paths: what is ``given`` (not None) beats the file.

    Names in ``given`` are the fields of ``Settings``; ``npu`` beats the file's table key by key.
    """
    where = tuple(_existing(path) for path in paths)
    root = common_root(where)
    config = find_config(root)
    values = _read_config(config, root) if config else {}
    npu, warnings = _npu_options(values.pop("npu", {}), given.pop("npu", None) or {}, config)
    values.update((key, value) for key, value in given.items() if value is not None)
    for key, expected in _EXPECTED.items():
        if key in values:
            expected.check(f"--{_kebab(key)}", values[key])
    for key in ("select", "ignore", "exclude"):
        values[key] = tuple(values.get(key, ()))
    for key in ("select", "ignore"):
        if values[key]:
            said_in = f"--{key}" if given.get(key) else f"{config}: tool.ascendify.{key}"
            values[key] = check_selectors(values[key], codes(), said_in)
    if values.get("torch_npu"):
        said_in = "--torch-npu" if given.get("torch_npu") else f"{config}: tool.ascendify.torch-npu"
        values["torch_npu"] = torch_releases.named(values["torch_npu"], said_in).version
        values["torch_npu_said_in"] = "--torch-npu" if given.get("torch_npu") else "pyproject.toml"
    if values.get("framework"):
        values["framework_said_in"] = "--framework" if given.get("framework") else "pyproject.toml"
    if "main" in values:
        values["main"] = _script(Path(values["main"]), root, "--main")
    values["transfer"] = tuple(
        str(_script(Path(item), root, "--transfer")) for item in values.get("transfer", ())
    )
    if values.get("output") is not None:
        values["output"] = _absolute(values["output"])
    settings = Settings(paths=where, npu=npu, config=config, warnings=warnings, **values)
    _refuse_dangerous_output(settings)
    return settings


def find_config(start: Path) -> Path | None:
    """The nearest pyproject.toml, at ``start`` or above, that has a ``[tool.ascendify]`` table."""
    for folder in (start, *start.parents):
        file = folder / "pyproject.toml"
        if file.is_file() and "ascendify" in _tool_tables(file):
            return file
    return None


def check_selectors(
    selectors: Iterable[str], known: tuple[str, ...], where: str = ""
) -> tuple[str, ...]:
    """The selectors in capitals; one that covers no code is an error that names the closest."""
    prefix = f"{where}: " if where else ""
    folded = tuple(selector.strip().upper() for selector in selectors)
    for selector in folded:
        if not any(covers(selector, code) for code in known):
            raise UsageError(
                f"{prefix}no rule is called {selector}",
                did_you_mean(selector, _all_selectors(known), "ascendify rules lists every code"),
            )
    return folded


# --- what a key may hold ---------------------------------------------------------------------


@dataclass(frozen=True)
class _Expected:
    """What a value must be: as a phrase and as a test."""

    words: str
    fits: Callable[[object], bool]

    def check(self, where: str, value: object) -> None:
        if not self.fits(value):
            raise UsageError(f"{where} is {_show(value)}", f"expected {self.words}")


def _is_int(low: int, high: int) -> Callable[[object], bool]:
    # bool is an int in Python but not in TOML.
    return lambda value: type(value) is int and low <= value <= high


def _is_strings(value: object) -> bool:
    return isinstance(value, (list, tuple)) and all(isinstance(item, str) for item in value)


_STRINGS = _Expected("a list of strings", _is_strings)
_EXPECTED: Mapping[str, _Expected] = {
    "select": _STRINGS,
    "ignore": _STRINGS,
    "exclude": _STRINGS,
    "distributed": _Expected("one of " + ", ".join(DISTRIBUTED), DISTRIBUTED.__contains__),
    "framework": _Expected("one of " + ", ".join(FRAMEWORKS), FRAMEWORKS.__contains__),
    "style": _Expected("one of " + ", ".join(STYLES), STYLES.__contains__),
    "transfer": _STRINGS,
    "torch_npu": _Expected(
        "a release of torch_npu as text, such as '2.7.1.post2'",
        lambda value: isinstance(value, str),
    ),
    "main": _Expected("the path of a Python file", lambda value: isinstance(value, (str, Path))),
    "jobs": _Expected("a whole number, 0 for one per core", _is_int(0, 1024)),
    "vendor_style": _Expected("true or false", lambda value: isinstance(value, bool)),
    "dynamic_rnn": _Expected("true or false", lambda value: isinstance(value, bool)),
    "fix_drift": _Expected("true or false", lambda value: isinstance(value, bool)),
    "tune": _Expected("true or false", lambda value: isinstance(value, bool)),
    "include_tests": _Expected("true or false", lambda value: isinstance(value, bool)),
    "fail_under": _Expected("a whole number from 0 to 100", _is_int(0, 100)),
}
_NPU = _Expected("a table of NPU options", lambda value: isinstance(value, dict))
_PER_RUN = ("output", "in_place", "force", "diff", "undo")
"""Settings of one run, which a project's file cannot contain."""


def _read_config(file: Path, root: Path) -> dict[str, Any]:
    """``[tool.ascendify]`` by field name, every key known and of its type."""
    table = _tool_tables(file)["ascendify"]
    where = f"{file}: tool.ascendify"
    if not isinstance(table, dict):
        raise UsageError(f"{where} is {_show(table)}", "expected a table: [tool.ascendify]")
    expectations = {_kebab(key): expected for key, expected in _EXPECTED.items()}
    expectations["npu"] = _NPU
    values: dict[str, Any] = {}
    for key, value in table.items():
        if key not in expectations:
            raise UsageError(f"{where} has no key {key!r}", _key_hint(key, expectations))
        expectations[key].check(f"{where}.{key}", value)
        values[key.replace("-", "_")] = value
    if "main" in values:
        main = file.parent / values.pop("main")
        if not main.is_file():
            raise UsageError(f"{where}.main names {main}, which is not a file", "correct the path")
        # A run over a part of the project may leave the entry point out.
        if root in main.parents:
            values["main"] = main
    if "transfer" in values:
        scripts = [file.parent / item for item in values["transfer"]]
        for script in scripts:
            if not script.is_file():
                raise UsageError(
                    f"{where}.transfer names {script}, which is not a file", "correct the path"
                )
        values["transfer"] = [str(script) for script in scripts if root in script.parents]
    return values


def _key_hint(key: str, known: Iterable[str]) -> str:
    if key.replace("-", "_") in _PER_RUN:
        return f"give --{_kebab(key)} on the command line"
    near = closest(key, known)
    return f"did you mean {near}?" if near else "the keys are " + ", ".join(sorted(known))


def _tool_tables(file: Path) -> dict[str, Any]:
    try:
        tool = tomllib.loads(file.read_text(encoding="utf-8")).get("tool", {})
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{file} is not valid TOML: {error}", "correct that line") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{file} is not UTF-8: {error}", "save it as UTF-8") from error
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror}", "make it readable") from error
    return tool if isinstance(tool, dict) else {}


def _show(value: object) -> str:
    """A value as people write it in TOML, where that is short."""
    if isinstance(value, bool):
        return str(value).lower()
    return "a table" if isinstance(value, dict) else repr(value)


def _kebab(name: str) -> str:
    return name.replace("_", "-")


# --- rules -----------------------------------------------------------------------------------


def _all_selectors(codes: Iterable[str]) -> list[str]:
    """Every code and every prefix of one: TF1-SESS-1, TF1-SESS, TF1."""
    return sorted(
        {
            code.rsplit("-", drop)[0] if drop else code
            for code in codes
            for drop in range(code.count("-") + 1)
        }
    )


# --- paths -----------------------------------------------------------------------------------


def _absolute(path: Path) -> Path:
    # Not resolve(): a symlinked project keeps the name the user knows it by.
    return Path(os.path.abspath(path))  # noqa: PTH100


def _existing(path: Path) -> Path:
    if not path.exists():
        raise UsageError(f"{path} does not exist", "give the folder or file to read")
    return _absolute(path)


def _script(path: Path, root: Path, option: str) -> PurePosixPath:
    """A script relative to the root; people give it from the root or from where they are."""
    for candidate in (root / path, _absolute(path)):
        file = _absolute(candidate)
        if file.is_file() and root in file.parents:
            return PurePosixPath(file.relative_to(root).as_posix())
    what = "the entry point" if option == "--main" else "the script"
    raise UsageError(
        f"{what} {path} is not a file of {root}",
        f"give {option} the path of a Python file, relative to the project",
    )


def _refuse_dangerous_output(settings: Settings) -> None:
    """Nothing the user has may be overwritten, and no output may become input of the next run."""
    output = settings.output
    if output is None:
        return
    if settings.in_place:
        raise UsageError(f"both --in-place and the output {output} are given", "choose one")
    target = output.resolve()
    for path in settings.paths:
        source = path.resolve()
        if target == source:
            raise UsageError(
                f"the output {output} is the input", "give another folder, or use --in-place"
            )
        if source in target.parents:
            raise UsageError(
                f"the output {output} is inside the input {path}",
                f"give a folder outside it, such as {path.parent / f'{path.name}_npu'}",
            )
        if target in source.parents:
            raise UsageError(
                f"the input {path} is inside the output {output}", "give a folder outside it"
            )
    if output.exists() and not output.is_dir():
        raise UsageError(f"the output {output} is not a directory", "give a folder")
    if output.is_dir() and any(output.iterdir()) and not (settings.force or settings.diff):
        raise UsageError(
            f"the output {output} exists and is not empty", "give a new folder, or use --force"
        )


# --- NPU options -----------------------------------------------------------------------------


def _npu_options(
    in_file: Mapping[str, object], given: Mapping[str, object], config: Path | None
) -> tuple[dict[str, Value], tuple[str, ...]]:
    """The options the user gave, typed, and warnings; the command line overrides the file."""
    filed = {_npu_name(name): value for name, value in in_file.items()}
    typed = {_npu_name(name): value for name, value in given.items()}
    try:
        options, warnings = validate({**filed, **typed})
    except OptionError as error:
        name = _npu_name(error.key)
        where = f"{config}: tool.ascendify.npu: " if name in filed.keys() - typed.keys() else ""
        # The message says what would do, but for a name like no other.
        lost = error.value is None and not error.closest
        hint = "ascendify migrate --help shows the common NPU options" if lost else ""
        raise UsageError(f"{where}{error}", hint) from error
    if wants_loss_scale(options) and LOSS_SCALE not in {*filed, *typed}:
        options[LOSS_SCALE] = "dynamic"
        warnings += (
            "this precision trains in float16, so loss_scale=dynamic is set too; "
            "--loss-scale none leaves it out",
        )
    return options, warnings


def _npu_name(name: str) -> str:
    """Spell an option with underscores and in lower case, whichever way it was written."""
    return name.strip().replace("-", "_").lower()
