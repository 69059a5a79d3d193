"""Ask releases of PyTorch which names they lack, and write which release brought each.

::

    python tools/introspect_torch_since.py PYTHON...   # interpreters with PyTorch, any order

asks every interpreter for the public modules and names of the catalogue (those of the newest
PyTorch that was introspected) and writes ``tools/catalog/torch-since.json``: release -> names that
it is the first to have. Names that the oldest release has are left out. A name that a deprecated
module hides behind a warning counts as present, and so does one of a module that needs a package
which is not installed. What Python gives every exception is left out: it came with a Python.
Importing PyTorch takes seconds for each.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SIGNATURES = ROOT / "src" / "ascendify" / "catalog" / "data" / "signatures-torch.json"
RESULT = ROOT / "tools" / "catalog" / "torch-since.json"
LIST_NAMES = r"""
import importlib, json, sys, warnings
warnings.simplefilter("ignore")
import torch

def found(name):
    parts = name.split(".")
    value = torch
    for number in range(1, len(parts)):
        if not hasattr(value, parts[number]):
            try:
                importlib.import_module(".".join(parts[: number + 1]))
            except ModuleNotFoundError as error:
                return (error.name or "torch").split(".")[0] != "torch"
            except Exception:
                return False
            if not hasattr(value, parts[number]):
                return False
        value = getattr(value, parts[number])
    return True

names = json.load(sys.stdin)
print("ANSWER" + json.dumps([torch.__version__, [name for name in names if not found(name)]]))
"""


def names_in(python: str, names: list[str]) -> tuple[tuple[int, ...], set[str]]:
    """The release of an interpreter, as numbers, and the names it lacks."""
    ran = subprocess.run(  # noqa: S603 - an interpreter the user names
        [python, "-c", LIST_NAMES],
        input=json.dumps(names),
        capture_output=True,
        text=True,
        check=True,
    )
    version, lacking = json.loads(ran.stdout.rpartition("ANSWER")[2])
    return tuple(int(part) for part in version.partition("+")[0].split(".")[:2]), set(lacking)


def main(pythons: list[str]) -> int:
    """Ask every interpreter and write the table."""
    modules = json.loads(SIGNATURES.read_bytes())["names"]
    names = sorted(
        name
        for name in {
            *modules,
            *(f"{module}.{word}" for module in modules for word in modules[module]),
        }
        if name.startswith("torch.")
        and not name.startswith(("torch.npu", "torch.cuda"))
        and not any(part.startswith("_") for part in name.split("."))
        and not hasattr(BaseException, name.rpartition(".")[2])
    )
    answers = sorted(names_in(python, names) for python in pythons)
    since: dict[str, str] = {}
    for (_, before), (release, lacking) in zip(answers, answers[1:]):
        came = before - lacking
        # what a new class or module has came with it
        outer = [name for name in came if name.rpartition(".")[0] not in came]
        if outer:
            since[".".join(map(str, release))] = " ".join(sorted(outer))
    RESULT.write_text(json.dumps(since, indent=1) + "\n", encoding="ascii")
    print({release: len(listed.split()) for release, listed in since.items()})
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
