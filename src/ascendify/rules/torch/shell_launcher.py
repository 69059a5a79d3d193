"""Replace ``python -m torch.distributed.launch`` by torchrun."""

from __future__ import annotations

from ascendify.rules.kit import Changes, Diagnoses, Rule, Status, TextSite
from ascendify.rules.shell import _script
from ascendify.rules.shell._script import Command, Word
from ascendify.source.edits import Edit

RULE = Rule(
    code="TORCH-SH-2",
    title="Start ranks with torchrun",
    why=(
        "torch.distributed.launch is deprecated and, since torch 2.0, passes --local-rank with a "
        "dash to programs, which a program that declares --local_rank does not accept. torchrun "
        "does the same on NPUs, and sets LOCAL_RANK for each rank."
    ),
    statuses=(Status.AUTO, Status.INFO),
    before="python -m torch.distributed.launch --use_env --nproc_per_node=8 train.py",
    after="torchrun --nproc_per_node=8 train.py",
    framework="torch",
)

_MODULES = ("torch.distributed.launch", "torch.distributed.run")
_ENVIRONMENT = ("--use_env", "--use-env")


@RULE.text("shell")
def replace_launcher(site: TextSite) -> Diagnoses:
    """Replace the launcher where the program reads LOCAL_RANK; note other places."""
    if "torch.distributed.launch" not in site.text:
        return
    for command in _script.commands(site.text):
        module = _launched_module(command)
        if module is None or module.value != _MODULES[0]:
            continue
        words = command.rest
        position = words.index(module)
        found = [word for word in words[position:] if word.value in _ENVIRONMENT]
        start = words[0].start
        if not found or not _is_python(words[0]) or position != 2:
            yield RULE.info(
                site.at(start, module.end),
                f"{module.text} passes --local-rank since torch 2.0; with torchrun the program "
                "reads os.environ['LOCAL_RANK'] instead",
            )
            continue
        edits = [Edit(start, module.end, "torchrun")]
        edits += [Edit(words[words.index(word) - 1].end, word.end, "") for word in found]
        yield RULE.auto(
            site.at(start, module.end),
            f"{module.text} is deprecated",
            done="Replaced it by torchrun, which always does what --use_env does.",
            fix=Changes(edits),
        )


def _launched_module(command: Command) -> Word | None:
    words = command.rest
    for before, word in zip(words, words[1:]):
        if before.value == "-m" and word.value in _MODULES:
            return word
    return None


def _is_python(word: Word) -> bool:
    return word.value in ("python", "python3")
