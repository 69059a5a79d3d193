"""How far two numbers may be apart and still count as the same training.

Both sides run on one CPU with the same seeds and one thread, so most pairs are equal to the last
bit. Where a migration legitimately reorders arithmetic they are not, and training amplifies that
with every step: the allowance starts at what the type can represent and grows with the position in
the series, up to the two percent that people who compare devices by hand accept.

An original on a real GPU rounds every sum differently than the CPU does, from the first step on:
its allowance starts higher, grows faster and ends at five percent. Norms of gradients differ about
ten times as much as losses do, and are allowed that. Where its GPU drew random numbers itself,
single steps cannot be compared at all, and the means of the series are.

An original that does not repeat itself to the last bit has noise, which two runs of it measure:
three times as much is allowed, up to the same two percent.

Recurrent layers that ``--dynamic-rnn`` computes with one operator, and the CTC loss of dense
labels, add up in another order. Optimizers that divide by the size of a gradient enlarge such
differences where gradients are tiny: single weights are 2.5e-4 apart after six steps. The allowance
of projects with these starts higher.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

RELATIVE = {"float64": 1e-6, "float32": 1e-4, "float16": 5e-3, "bfloat16": 2e-2}
"""Allowed relative error at the first step, by type."""
DEFAULT_TYPE = "float32"
ABSOLUTE = 1e-6
GROWTH_STEPS = 50
"""The tolerance grows in proportion to the steps; after this many it has doubled."""
CEILING = 0.02
REORDERED = 10
"""How many times as much is allowed where layers or losses are computed by other operators."""
RELATIVE_TO_GPU = {"float64": 1e-5, "float32": 2e-3, "float16": 2e-2, "bfloat16": 5e-2}
"""Relative tolerance for an original that ran on a GPU."""
GROWTH_STEPS_TO_GPU = 2
"""Measured on an H200: a recurrent network with RMSprop is 1.3 percent apart after 24 steps."""
CEILING_TO_GPU = 0.05
GRADIENTS_TO_GPU = 10
"""How many times as much the norm of gradients is allowed."""
GRADIENT_CEILING_TO_GPU = 0.25
TIMES_NOISE = 3
BETWEEN_MEANS = 0.2
"""Allowed relative error of a mean over steps whose random numbers differ."""


@dataclass(frozen=True)
class Tolerance:
    """The tolerance the user allows; None leaves it to the type of the numbers."""

    relative: float | None = None
    absolute: float = ABSOLUTE
    to_gpu: bool = False
    """Whether the original ran on a GPU."""
    means: bool = False
    """Whether only means are compared, because the random numbers of the two runs differ."""
    reordered: bool = False
    """Whether the migration computes layers or losses with other operators."""
    noise: Mapping[str, float] = field(default_factory=dict)
    """The largest error between two runs of the original, by the name of a series or tensor."""
    unstable: frozenset[str] = frozenset()
    """Series and tensors that are not compared: a rounding error changes them too much."""

    def allowed_noise(self, name: str) -> float:
        """The relative error allowed for a series or tensor because of its noise."""
        if name in self.unstable:
            return math.inf
        noise = self.noise.get(name, 0.0)
        return min(TIMES_NOISE * noise, CEILING) if noise <= CEILING else 0.0

    def allowed(self, position: int, dtype: str = DEFAULT_TYPE, *, gradient: bool = False) -> float:
        """The relative error allowed at a position of a series, counted from 0; without noise.

        One that the user has set does not grow.

        Args:
            position: Where in the series.
            dtype: What was computed in.
            gradient: Whether the series is the norm of gradients.
        """
        if self.relative is not None:
            return self.relative
        if self.means:
            return BETWEEN_MEANS
        if self.to_gpu:
            return _allowed_to_gpu(position, dtype, gradient)
        first = RELATIVE.get(dtype, RELATIVE[DEFAULT_TYPE])
        if self.reordered:
            first *= REORDERED
        return min(first * (1 + position / GROWTH_STEPS), max(first, CEILING))

    def accepts(
        self,
        original: float,
        migrated: float,
        position: int,
        dtype: str = DEFAULT_TYPE,
        *,
        gradient: bool = False,
        name: str = "",
    ) -> bool:
        """Whether two numbers of a series count as the same; two NaNs do."""
        if name in self.unstable:
            return True
        if math.isnan(original) or math.isnan(migrated):
            return math.isnan(original) and math.isnan(migrated)
        if math.isinf(original) or math.isinf(migrated):
            return original == migrated
        relative = max(self.allowed(position, dtype, gradient=gradient), self.allowed_noise(name))
        allowed = self.absolute + relative * abs(original)
        return abs(original - migrated) <= allowed


def _allowed_to_gpu(position: int, dtype: str, gradient: bool) -> float:
    first = RELATIVE_TO_GPU.get(dtype, RELATIVE_TO_GPU[DEFAULT_TYPE])
    ceiling = CEILING_TO_GPU
    if gradient:
        first, ceiling = first * GRADIENTS_TO_GPU, GRADIENT_CEILING_TO_GPU
    return min(first * (1 + position / GROWTH_STEPS_TO_GPU), ceiling)


def less_precise(*dtypes: str) -> str:
    """Of several types the one with the largest allowance."""
    return max(dtypes, key=lambda dtype: RELATIVE.get(dtype, RELATIVE[DEFAULT_TYPE]))


def relative_error(original: float, migrated: float) -> float:
    """Measured by the original; infinite where only one is a finite number."""
    if math.isfinite(original) and math.isfinite(migrated):
        apart = abs(original - migrated)
        return apart / abs(original) if original else (math.inf if apart else 0.0)
    same = original == migrated or (math.isnan(original) and math.isnan(migrated))
    return 0.0 if same else math.inf
