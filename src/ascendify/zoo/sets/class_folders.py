"""Pictures in folders named by their class: ``train/rose/1.jpg``, or just ``rose/1.jpg``.

Where there are no folders for training and test, every seventh picture or so is the test: which
ones depends on their names alone.
"""

from __future__ import annotations

from pathlib import Path

from ascendify.errors import UsageError, did_you_mean
from ascendify.zoo.recipe import Split
from ascendify.zoo.rendering.splits import held_out
from ascendify.zoo.sets.photos import EncodedPhoto

SUFFIXES = frozenset(
    {".jpg", ".jpeg", ".png", ".bmp", ".webp", ".gif", ".tif", ".tiff", ".ppm", ".pgm"}
)
TRAINING = ("train", "training")
TEST = ("test", "val", "valid", "validation", "eval")
TEST_PART = 0.15
"""Share of the pictures that are the test, where no folder is."""


class ClassFolders:
    """The stored pictures of a split."""

    def __init__(self, folder: Path, split: Split) -> None:
        inside, divided = _split_folder(folder, split)
        self.classes = tuple(_class_names(_split_folder(folder, "train")[0]))
        if divided and split == "test":
            self._check_classes(inside)
        self._files = [
            (path, label)
            for label, name in enumerate(self.classes)
            for path in _pictures(inside / name)
            if divided or held_out(f"{name}/{path.name}", TEST_PART) == (split == "test")
        ]
        self.labels = [label for _, label in self._files]
        if not self._files:
            raise UsageError(
                f"{inside} has no pictures for {split}", f"known are {', '.join(sorted(SUFFIXES))}"
            )

    def _check_classes(self, inside: Path) -> None:
        """Refuse a class of the test that training does not have."""
        for name in _class_names(inside):
            if name not in self.classes:
                hint = did_you_mean(name, self.classes, f"there are {', '.join(self.classes)}")
                raise UsageError(f"{inside} has a class {name} that training does not have", hint)

    def __len__(self) -> int:
        return len(self._files)

    def __getitem__(self, index: int) -> EncodedPhoto:
        """Read a picture's file."""
        path, label = self._files[index]
        try:
            return EncodedPhoto(path.read_bytes(), label, str(path))
        except OSError as error:
            raise UsageError(
                f"{path} cannot be read: {error.strerror}", "copy the folder again"
            ) from error


def has_classes(folder: Path) -> bool:
    """Whether a folder has folders of pictures, by class or by split and class."""
    for names in (TRAINING, ("",)):
        for name in names:
            inside = folder / name
            if inside.is_dir() and any(_class_names(inside)):
                return True
    return False


def _split_folder(folder: Path, split: Split) -> tuple[Path, bool]:
    """Return the folder of a split, and whether there is one for each."""
    training = next((folder / name for name in TRAINING if (folder / name).is_dir()), None)
    if training is None:
        return folder, False
    test = next((folder / name for name in TEST if (folder / name).is_dir()), None)
    if test is None:
        return training, False
    return (training if split == "train" else test), True


def _class_names(folder: Path) -> list[str]:
    """Return the folders with pictures in them, in the order of their names."""
    return sorted(
        path.name
        for path in folder.iterdir()
        if path.is_dir() and not path.name.startswith(".") and any(map(_is_picture, path.iterdir()))
    )


def _pictures(folder: Path) -> list[Path]:
    return sorted(filter(_is_picture, folder.iterdir())) if folder.is_dir() else []


def _is_picture(path: Path) -> bool:
    return path.suffix.lower() in SUFFIXES and not path.name.startswith(".")
