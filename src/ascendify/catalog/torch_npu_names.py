"""Which wheels have a name of torch_npu, and which PyTorch added a name of torch.

Wheels are numbers here; ``torch_releases`` knows their releases.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from ascendify.catalog import versions
from ascendify.catalog._data import table

_NOT_READ = {"2.3": "2.2"}
"""Line of PyTorch -> the one before it that was not read, and may have its new names already."""
_KIND = re.compile(r"^(?:static|classmethod|class\([^()]*\))")
"""The prefix of signatures of methods and classes."""


def is_known(name: str) -> bool:
    """Whether some release has ``torch_npu.X`` or ``torch.npu.X``."""
    return bool(wheels(name))


def wheels(name: str, keyword: str = "") -> frozenset[int]:
    """The wheels that contain a name and, if given, the argument of that name."""
    return frozenset(
        number
        for numbers, text in signatures(name)
        if not keyword or keyword in (parameters(text) or ())
        for number in numbers
    )


@cache
def signatures(name: str) -> tuple[tuple[frozenset[int], str], ...]:
    """The signatures of a name, each with the wheels that have it, in the order they were built."""
    home = _home(name)
    if not home.startswith("torch_npu"):
        return ()
    module, _, last = home.rpartition(".")
    packed: str = table("torch-npu-names")["names"].get(module, {}).get(last, "")
    texts = table("torch-npu-names")["texts"]
    parts = (part.partition("=") for part in packed.split())
    return tuple((_numbered(numbers), texts[int(place)]) for numbers, _, place in parts)


@cache
def kernels() -> dict[str, frozenset[int]]:
    """Operator of aten -> the wheels that have a kernel for it."""
    found: dict[str, set[int]] = {}
    for numbers, words in table("torch-npu-names")["kernels"].items():
        for word in words.split():
            found.setdefault(word, set()).update(_numbered(numbers))
    return {word: frozenset(numbers) for word, numbers in found.items()}


def torch_since(name: str) -> str:
    """The first line of PyTorch known to have a name; empty for one that 2.1 has, or unknown."""
    return torch_newcomer(name)[1]


@cache
def torch_newcomer(name: str) -> tuple[str, str]:
    """The name of torch that was added, and the first line of PyTorch known to have it.

    Members of a new class or module were added with it: ``torch.amp.GradScaler.scale`` was added
    with ``torch.amp.GradScaler``.
    """
    while name:
        module, _, last = name.rpartition(".")
        found = _since().get((module, last))
        if found is not None:
            return name, found
        name = module
    return "", ""


@cache
def newest_torch_line() -> str:
    """The last line of PyTorch that is known to have added a name."""
    return max(_since().values(), key=versions.numbers)


def torch_line_words(since: str) -> str:
    """The line that added a name, in words: ``2.2 or 2.3`` where only the latter was read."""
    earlier = _NOT_READ.get(since)
    return f"{earlier} or {since}" if earlier else since


def is_before(torch: str, since: str) -> bool:
    """Whether a PyTorch certainly lacks a name, given the first release known to have it."""
    return versions.numbers(torch) < versions.numbers(_NOT_READ.get(since, since))


def shown(name: str, signature: str) -> str:
    """A signature as people write it: name and parameters; empty for a name without a signature."""
    text = _KIND.sub("", signature)
    return f"{name}{text}" if text.startswith("(") else ""


def parameters(signature: str) -> list[str] | None:
    """The names of the parameters of a signature, None where anything may be given.

    >>> parameters("(Tensor x, int[2] size, *, float p=0.5) -> Tensor"), parameters("(a, b=(1, 2))")
    (['x', 'size', 'p'], ['a', 'b'])
    """
    text = _KIND.sub("", signature)
    if not text.startswith("("):
        return None
    found: list[str] = []
    for part in _split(text):
        head = part.partition("=")[0].strip()
        if head.startswith("*") and head.strip("*"):
            return None
        if head not in ("", "*", "/"):
            found.append(head.split()[-1])
    return found


@cache
def _since() -> dict[tuple[str, str], str]:
    """Module and name -> the line of PyTorch that added it."""
    return {
        (module, word): release
        for release, modules in table("torch-since").items()
        for module, words in modules.items()
        for word in words.split()
    }


def _home(name: str) -> str:
    """The name as it is listed for the wheels: ``torch.npu`` is ``torch_npu.npu``."""
    return f"torch_npu{name[len('torch') :]}" if f"{name}.".startswith("torch.npu.") else name


@cache
def _numbered(text: str) -> frozenset[int]:
    """The numbers of a range such as ``5,7-21``."""
    found: set[int] = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        found.update(range(int(first), int(last or first) + 1))
    return frozenset(found)


def _split(text: str) -> Iterator[str]:
    """The parts of the first parentheses of a text, at the commas outside inner brackets."""
    depth, start, quote = 0, 1, ""
    for place, letter in enumerate(text):
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        elif letter in "([{":
            depth += 1
        elif letter in ")]}":
            depth -= 1
            if depth == 0:
                yield text[start:place]
                return
        elif letter == "," and depth == 1:
            yield text[start:place]
            start = place + 1
