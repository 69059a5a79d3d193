"""A measurement as people and machines read it."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence

from ascendify.errors import UsageError
from ascendify.zoo import networks, settings
from ascendify.zoo.bench.measure import Figures, Rounds, bench
from ascendify.zoo.bench.plain import PLAIN
from ascendify.zoo.device import open_device

_TOLERANCE = {"fp32": 1e-4, "bf16": 2e-2, "fp16": 1e-2}
"""How far the losses of the two networks may lie apart, as a share: what the precision allows."""


def measure_and_tell(
    network: str,
    preset: str,
    overrides: Sequence[str],
    batches: Sequence[int],
    rounds: int,
    device: str,
    as_json: bool,
) -> None:
    """Measure a network with each batch size and print what was found.

    Raises:
        UsageError: something asked for is not there, or the two networks do not agree.
    """
    recipe = networks.find(network)
    if network not in PLAIN:
        raise UsageError(
            f"{network} has no plain network to compare with", f"try {', '.join(PLAIN)}"
        )
    same = PLAIN[network].overrides
    config = settings.override(networks.preset(recipe, preset), (*same, *overrides))
    here = open_device(device)
    if not as_json:
        print(f"{network} in {config.train.precision} on {here.title}, samples a second")
        print(f"{'batch':>6} {'plain':>10} {'zoo':>10} {'ratio':>6} {'busy':>6}  losses")
    for batch in batches or (config.train.batch,):
        asked = recipe(settings.override(config, [f"train.batch={batch}"]))
        found = bench(asked, here, Rounds(rounds=rounds))
        print(_as_json(found, here.title) if as_json else _as_text(found), flush=True)
        _check(found, _TOLERANCE[config.train.precision])


def _as_text(found: Figures) -> str:
    plain, zoo = found.batch / found.plain, found.batch / found.zoo
    return (
        f"{found.batch:6d} {plain:10,.0f} {zoo:10,.0f} {found.ratio:6.2f} {found.busy:6.1%}"
        f"  {found.plain_loss:.4f} {found.zoo_loss:.4f}"
    )


def _as_json(found: Figures, device: str) -> str:
    told = {**dataclasses.asdict(found), "ratio": found.ratio, "busy": found.busy}
    return json.dumps({**told, "device": device})


def _check(found: Figures, tolerance: float) -> None:
    apart = abs(found.plain_loss - found.zoo_loss) / abs(found.plain_loss)
    if not apart <= tolerance:
        raise UsageError(
            f"{found.network}, batch {found.batch}: the plain network's loss is "
            f"{found.plain_loss:.6g} and the zoo's {found.zoo_loss:.6g}, {apart:.1e} apart",
            f"at most {tolerance:g} is expected: the figures are not of the same network",
        )
