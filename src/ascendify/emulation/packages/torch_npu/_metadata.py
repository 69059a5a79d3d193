"""Make `importlib.metadata` report the emulated release of torch_npu.

The folder next to this package has metadata of one release, which pip and torch's autoload read.
"""

import sys
from importlib import metadata
from pathlib import Path

_FOLDER = next(Path(__file__).parent.parent.glob("torch_npu-*.dist-info"))
_NAMES = ("torch_npu", "torch-npu")


class _Release(metadata.Distribution):
    """The metadata of the folder with another version."""

    def __init__(self, version):
        self._version = version

    def read_text(self, filename):
        """Return a file of the metadata, or None if there is none."""
        path = _FOLDER / filename
        if not path.exists():
            return None
        lines = path.read_text(encoding="utf-8").splitlines()
        if filename == "METADATA":
            lines = [
                f"Version: {self._version}" if line.startswith("Version:") else line
                for line in lines
            ]
        return "\n".join(lines) + "\n"

    def locate_file(self, path):
        """Return the path of a file of the package."""
        return _FOLDER.parent / path


class _Finder(metadata.DistributionFinder):
    """Finder for this one distribution, and for no module."""

    def __init__(self, version):
        self._found = _Release(version)

    def find_distributions(self, context=metadata.DistributionFinder.Context()):  # noqa: B008
        """Yield the release, if its name or every distribution is requested."""
        return [self._found] if context.name is None or context.name in _NAMES else []

    def find_spec(self, name, path=None, target=None):
        """Return None: this finder finds no modules."""


def install(version):
    """Add the finder before the one that finds the folder."""
    sys.meta_path.insert(0, _Finder(version))
