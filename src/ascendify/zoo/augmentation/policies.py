"""AutoAugment's policies: pairs of operations, each with a probability and a magnitude.

From "AutoAugment: Learning Augmentation Strategies from Data" (arXiv 1805.09501), tables 7 to 9.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple, Optional

PolicyName = Literal["cifar10", "imagenet", "svhn"]


class PolicyStep(NamedTuple):
    """One operation of a sub-policy."""

    operation: str
    probability: float
    magnitude: Optional[int]
    """From 0 to 9; None where an operation has none."""


SubPolicy = tuple[PolicyStep, PolicyStep]

_CIFAR10 = """
Invert .1 -, Contrast .2 6
Rotate .7 2, TranslateX .3 9
Sharpness .8 1, Sharpness .9 3
ShearY .5 8, TranslateY .7 9
AutoContrast .5 -, Equalize .9 -
ShearY .2 7, Posterize .3 7
Color .4 3, Brightness .6 7
Sharpness .3 9, Brightness .7 9
Equalize .6 -, Equalize .5 -
Contrast .6 7, Sharpness .6 5
Color .7 7, TranslateX .5 8
Equalize .3 -, AutoContrast .4 -
TranslateY .4 3, Sharpness .2 6
Brightness .9 6, Color .2 8
Solarize .5 2, Invert 0 -
Equalize .2 -, AutoContrast .6 -
Equalize .2 -, Equalize .6 -
Color .9 9, Equalize .6 -
AutoContrast .8 -, Solarize .2 8
Brightness .1 3, Color .7 0
Solarize .4 5, AutoContrast .9 -
TranslateY .9 9, TranslateY .7 9
AutoContrast .9 -, Solarize .8 3
Equalize .8 -, Invert .1 -
TranslateY .7 9, AutoContrast .9 -
"""
_IMAGENET = """
Posterize .4 8, Rotate .6 9
Solarize .6 5, AutoContrast .6 -
Equalize .8 -, Equalize .6 -
Posterize .6 7, Posterize .6 6
Equalize .4 -, Solarize .2 4
Equalize .4 -, Rotate .8 8
Solarize .6 3, Equalize .6 -
Posterize .8 5, Equalize 1 -
Rotate .2 3, Solarize .6 8
Equalize .6 -, Posterize .4 6
Rotate .8 8, Color .4 0
Rotate .4 9, Equalize .6 -
Equalize 0 -, Equalize .8 -
Invert .6 -, Equalize 1 -
Color .6 4, Contrast 1 8
Rotate .8 8, Color 1 2
Color .8 8, Solarize .8 7
Sharpness .4 7, Invert .6 -
ShearX .6 5, Equalize 1 -
Color .4 0, Equalize .6 -
Equalize .4 -, Solarize .2 4
Solarize .6 5, AutoContrast .6 -
Invert .6 -, Equalize 1 -
Color .6 4, Contrast 1 8
Equalize .8 -, Equalize .6 -
"""
_SVHN = """
ShearX .9 4, Invert .2 -
ShearY .9 8, Invert .7 -
Equalize .6 -, Solarize .6 6
Invert .9 -, Equalize .6 -
Equalize .6 -, Rotate .9 3
ShearX .9 4, AutoContrast .8 -
ShearY .9 8, Invert .4 -
ShearY .9 5, Solarize .2 6
Invert .9 -, AutoContrast .8 -
Equalize .6 -, Rotate .9 3
ShearX .9 4, Solarize .3 3
ShearY .8 8, Invert .7 -
Equalize .9 -, TranslateY .6 6
Invert .9 -, Equalize .6 -
Contrast .3 3, Rotate .8 4
Invert .8 -, TranslateY 0 2
ShearY .7 6, Solarize .4 8
Invert .6 -, Rotate .8 4
ShearY .3 7, TranslateX .9 3
ShearX .1 6, Invert .6 -
Solarize .7 2, TranslateY .6 7
ShearY .8 4, Invert .8 -
ShearX .7 9, TranslateY .8 3
ShearY .8 5, AutoContrast .7 -
ShearX .7 2, Invert .1 -
"""


def _parse(table: str) -> tuple[SubPolicy, ...]:
    return tuple(_pair(line) for line in table.strip().splitlines())


def _pair(line: str) -> SubPolicy:
    first, second = (_step(*part.split()) for part in line.split(","))
    return first, second


def _step(operation: str, probability: str, magnitude: str) -> PolicyStep:
    return PolicyStep(operation, float(probability), None if magnitude == "-" else int(magnitude))


POLICIES: Mapping[PolicyName, tuple[SubPolicy, ...]] = {
    "cifar10": _parse(_CIFAR10),
    "imagenet": _parse(_IMAGENET),
    "svhn": _parse(_SVHN),
}
