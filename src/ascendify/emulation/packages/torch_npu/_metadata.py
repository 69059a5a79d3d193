"""What `importlib.metadata` tells of torch_npu: the release that is stood in for.

The folder beside this package has metadata of one release, which pip and torch's autoload look for.
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
        """A file of the metadata, or nothing where there is none."""
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
        """Where a file of the package is."""
        return _FOLDER.parent / path


class _Finder(metadata.DistributionFinder):
    """Finds this one distribution, and no module."""

    def __init__(self, version):
        self._found = _Release(version)

    def find_distributions(self, context=metadata.DistributionFinder.Context()):  # noqa: B008
        """The release, where it or everything is asked for."""
        return [self._found] if context.name is None or context.name in _NAMES else []

    def find_spec(self, name, path=None, target=None):
        """No module is found here."""


def install(version):
    """Be found before the folder."""
    sys.meta_path.insert(0, _Finder(version))
