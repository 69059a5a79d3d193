"""How fast the zoo trains, to the same network written plainly in PyTorch: the figures of its docs.

The figures are for one CUDA GPU. Where there is none the tiny networks are measured, which shows
that it works and says nothing of speed. ``ascendify zoo bench`` measures other sizes.
"""

from __future__ import annotations

import sys

import torch

from ascendify.zoo.bench.measure import Rounds, measure

GUIDE = "model.coordinates=false"
ON_CUDA = (
    ("crnn", "fast", (), 64, 2.0),
    ("crnn", "fast", (), 2048, 1.5),
    ("attention-ocr", "fast", (GUIDE, "train.compile=false"), 32, 4.0),
    ("attention-ocr", "fast", (GUIDE,), 128, 4.0),
)
"""Network, preset, settings, batch, and how many times as fast it must be at least."""
ON_CPU = (("crnn", "tiny", (), 8, 0.0), ("attention-ocr", "tiny", (), 8, 0.0))


def main() -> int:
    cuda = torch.cuda.is_available()
    device, rows = ("cuda", ON_CUDA) if cuda else ("cpu", ON_CPU)
    rounds = Rounds() if cuda else Rounds(warm_up=2, rounds=3, steps=3)
    enough = True
    for network, preset, settings, batch, least in rows:
        for found in measure(network, preset, settings, (batch,), rounds, device):
            enough &= found.ratio >= least
            print(
                f"{network}, batch {batch}: {batch / found.zoo:,.0f} samples/s, "
                f"{found.ratio:.2f} times the plain network, {found.busy:.0%} busy with the loader"
            )
    return 0 if enough else 1


if __name__ == "__main__":
    sys.exit(main())
