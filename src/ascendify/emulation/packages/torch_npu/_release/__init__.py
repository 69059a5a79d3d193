"""Choose the release of torch_npu to emulate, and remove names that it does not have.

A release belongs to a release of PyTorch and to a version of the vendor's software stack. The
stand-in emulates the newest release for the installed PyTorch, unless ``ASCENDIFY_TORCH_NPU`` names
another. Names that the release does not have are refused after import: a script that uses one gets
the AttributeError or ImportError that it would get on the NPU, with a hint that names the first
release that has it.

``torch_npu/__init__.py`` calls ``_release.choose(torch.__version__)`` for ``__version__``, and
``_release.trim()`` at its end. The data is written by ``tools/build_torch_releases.py``.
"""

import json
import os
import re
import sys
from pathlib import Path

VARIABLE = "ASCENDIFY_TORCH_NPU"
"""Environment variable that names the release to emulate, such as ``2.7.1.post2``."""
_PACKAGE = "torch_npu"
_data = None
_chosen = None


class TorchNpuRelease:
    """One release: its version, its PyTorch and software stack, and the names it has."""

    def __init__(self, version, torch, stack, wheel):
        self.version = version
        self.torch = torch
        """The PyTorch it is made for."""
        self.stack = stack
        self.wheel = wheel
        """The number of the wheel whose names the release has."""

    def __repr__(self):
        return "torch_npu {} (torch {}, stack {})".format(self.version, self.torch, self.stack)

    def lacks(self):
        """Return module -> names that other releases have and this one does not."""
        found = {}
        for wheels, modules in _read()["names"].items():
            if self.wheel not in _numbered(wheels):
                for module, entries in modules.items():
                    found.setdefault(module, {}).update(dict.fromkeys(entries.split(), wheels))
        return found


class UnknownReleaseError(RuntimeError):
    """The variable names a release that does not exist, or one for another PyTorch."""


def choose(torch_version, wanted=None):
    """Choose the release to emulate for the installed PyTorch, and return it.

    ``wanted`` is a version of torch_npu; by default the environment variable is read. If there is
    no torch_npu for a minor release of PyTorch, the newest one for the nearest minor release is
    used, an older one if possible.
    """
    global _chosen
    wanted = os.environ.get(VARIABLE) if wanted is None else wanted
    line = _numbers(torch_version)[:2]
    _chosen = _named(wanted, line, torch_version) if wanted else _newest(line, torch_version)
    return _chosen


def chosen():
    """Return the release that :func:`choose` has chosen."""
    if _chosen is None:
        raise RuntimeError("torch_npu: no release has been chosen yet")
    return _chosen


def trim(modules=None):
    """Refuse names that the chosen release does not have; names with a leading underscore stay.

    ``modules`` are the modules by name, by default the imported ones. The stand-in's own functions
    can still use such a name of their module; code outside cannot.
    """
    modules = sys.modules if modules is None else modules
    refused = {}
    for owner, lacking in chosen().lacks().items():
        names = {name: wheels for name, wheels in lacking.items() if not name.startswith("_")}
        refused.update((owner + "." + name, wheels) for name, wheels in names.items())
        module = modules.get(owner)
        if module is None:
            _remove_members(modules, owner, names)
        elif names:
            _refuse(module, owner, names)
    _refuse_imports(modules, refused)


def first_with(wheels):
    """Return the first release with one of these wheels, for the chosen PyTorch if possible."""
    numbers = _numbered(wheels)
    for release in _releases():
        if release.torch == chosen().torch and release.wheel in numbers:
            return release
    version = _read()["read"][min(numbers)]
    return next(release for release in _releases() if release.version == version)


def _refuse(module, owner, names):
    """Give a module a class that refuses names; code inside the module can still use them."""
    kind = type(module)

    class Trimmed(kind):
        def __getattribute__(self, name):
            if name in names:
                raise AttributeError(_message(owner, name, names[name]))
            return kind.__getattribute__(self, name)

        def __dir__(self):
            return [name for name in kind.__dir__(self) if name not in names]

    # a star import, and code that copies a module, must not read refused names
    listed = module.__dict__.get("__all__")
    if listed is None:
        listed = [name for name in module.__dict__ if not name.startswith("_")]
    module.__all__ = [name for name in listed if name not in names]
    module.__class__ = Trimmed


def _refuse_imports(modules, refused):
    """Refuse to import names from packages, and modules; earlier imports stay valid."""
    # import would find a module here that its package refuses
    found = {name: modules.pop(name) for name in refused if name in modules}
    sys.meta_path.insert(0, _RefusingFinder(refused, found))


class _RefusingFinder:
    """Finder that raises an error for refused modules, which import looks up as submodules."""

    def __init__(self, refused, modules):
        self.refused = refused
        self.modules = modules

    def find_spec(self, fullname, path=None, target=None):
        name = re.sub(r"^torch\.npu\.", "torch_npu.npu.", fullname)
        if name in self.refused:
            kind = ModuleNotFoundError if name in self.modules else ImportError
            owner, _, last = name.rpartition(".")
            # without name=: import would replace the message of an error with it
            raise kind(_message(owner, last, self.refused[name]))


def _remove_members(modules, owner, names):
    """Remove methods of a class of the stand-in; those of base classes stay."""
    home, _, last = owner.rpartition(".")
    kind = getattr(modules.get(home), "__dict__", {}).get(last)
    if not isinstance(kind, type) or not kind.__module__.startswith(_PACKAGE):
        return
    for name in names:
        if name in vars(kind):
            delattr(kind, name)


def _message(owner, name, wheels):
    release = chosen()
    numbers = _numbered(wheels)
    other = "the first that has it" if min(numbers) > release.wheel else "one that has it"
    later = first_with(wheels)
    return (
        "module {!r} has no attribute {!r}: torch_npu {}, the emulated release, does not "
        "have it; {} is torch_npu {} (stack {}, torch {})".format(
            owner, name, release.version, other, later.version, later.stack, later.torch
        )
    )


# --- the releases ----------------------------------------------------------------------------


def _newest(line, torch_version):
    """Return the newest release for a minor release of PyTorch, else for the nearest one."""
    same = [item for item in _releases() if _numbers(item.torch)[:2] == line]
    if same:
        exact = [item for item in same if _numbers(item.torch) == _numbers(torch_version)[:3]]
        return (exact or same)[-1]
    older = [item for item in _releases() if _numbers(item.torch)[:2] < line]
    first = [item for item in _releases() if item.torch == _releases()[0].torch]
    return (older or first)[-1]


def _named(wanted, line, torch_version):
    release = next((item for item in _releases() if item.version == wanted), None)
    own = [item.version for item in _releases() if _numbers(item.torch)[:2] == line]
    hint = (
        "Set {} to one of: {}.".format(VARIABLE, ", ".join(own))
        if own
        else ("Leave {} unset.".format(VARIABLE))
    )
    if release is None:
        raise UnknownReleaseError(
            "{}={}: there is no such release of torch_npu. {}".format(VARIABLE, wanted, hint)
        )
    if own and wanted not in own:
        raise UnknownReleaseError(
            "{}={}: that release is made for torch {}, and torch {} is installed. {}".format(
                VARIABLE, wanted, release.torch, torch_version, hint
            )
        )
    return release


def _releases():
    """Return the final releases, by PyTorch and then by stack."""
    return [TorchNpuRelease(*row) for row in _read()["releases"] if "rc" not in row[0]]


def _read():
    global _data
    if _data is None:
        with (Path(__file__).parent / "data.json").open(encoding="ascii") as stream:
            _data = json.load(stream)
    return _data


def _numbers(version):
    """Return the numbers of a version: ``2.7.1.post2+cpu`` gives ``(2, 7, 1)``."""
    found = re.match(r"\d+(?:\.\d+)*", str(version))
    return tuple(int(part) for part in found.group().split(".")) if found else ()


def _numbered(text):
    """Return the numbers of a range such as ``5,7-21``."""
    found = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        found.update(range(int(first), int(last or first) + 1))
    return found
