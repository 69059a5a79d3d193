"""Projects without a program: none of their files can open the NPU."""

from __future__ import annotations

import ast
from itertools import takewhile

from ascendify.catalog.tensorflow_releases import TF2
from ascendify.rules.kit import Diagnoses, Effort, File, Rule, Status
from ascendify.rules.tf2 import _program

RULE = Rule(
    code="TF2-INIT-3",
    title="Open the NPU in the program that trains",
    why=(
        "The NPU is opened once in a process, by the program that is run. A project of modules "
        "alone has no such place: trained by a program elsewhere that does not open the NPU, all "
        "of it runs on the host."
    ),
    statuses=(Status.MANUAL,),
    foretells=("EMU-NPU-1",),
    before=(
        "import tensorflow as tf\n\n\n"
        "class Classifier(tf.keras.Model):\n"
        "    def call(self, features):\n"
        "        return tf.nn.softmax(features)"
    ),
)


@RULE.file
def report_missing_program(file: File) -> Diagnoses:
    """Report a project whose models no file of it trains or runs, at its first file with models."""
    if _program.is_test(file) or not _program.mentions_models(file.module.source.text):
        return
    before = takewhile(lambda path: path < file.path, _others(file))
    if any(_has_models(file, path) for path in before):
        return
    if not any(_is_program(file, path) for path in sorted({file.path, *_others(file)})):
        yield RULE.manual(
            file.at(_first_model(file)),
            f"no file of the project is a program that trains or runs a model, so {file.path} and "
            "the others run on the host",
            todo=(
                "Migrate the program that imports them together with them, or write "
                "npu_device.open().as_default() at its beginning. If it is among these files, name "
                "it with --main."
            ),
            effort=Effort.HOURS,
        )


def _first_model(file: File) -> ast.stmt:
    """The first statement that has to do with a model."""
    body = file.module.tree.body
    rest = [item for item in body if not isinstance(item, (ast.Import, ast.ImportFrom))]
    named = (item for item in rest if _program.names_model(file.text(item)))
    return next(named, body[0])


def _others(file: File) -> tuple[str, ...]:
    """Files of the project that may be programs for TensorFlow 2, sorted."""

    def find() -> tuple[str, ...]:
        releases, entries = file.facts.releases, file.facts.entry_points
        found = {path for path, release in releases.items() if release == TF2}
        return tuple(sorted(found.union(entries - releases.keys())))

    return file.resolver.remembered(_others, find)


def _has_models(file: File, path: str) -> bool:
    """Whether another file has models and is no test; looked at once for all that ask."""

    def look() -> bool:
        if not path.endswith(".py"):
            return False
        text = file.resolver.project.read(path).decode("utf-8", "replace")
        other = _file(file, path) if _program.mentions_models(text) else None
        return other is not None and not _program.is_test(other)

    return file.resolver.remembered((_has_models, path), look)


def _is_program(file: File, path: str) -> bool:
    if path.endswith(".ipynb"):
        return True
    other = _file(file, path)
    if other is None:
        return False
    return _program.is_opened(other) or (_program.is_run(other) and _program.computes(other))


def _file(file: File, path: str) -> File | None:
    """Another file of the project; None for one that cannot be parsed."""
    if path == file.path:
        return file
    module = file.resolver.project.module(path)
    if module is None:
        return None
    module.index  # noqa: B018 - the walk that marks scopes, before any question
    return file.of(module)
