"""The plain networks that the zoo is measured against are the same networks."""

from __future__ import annotations

import json

import pytest

torch = pytest.importorskip("torch")

from typer.testing import CliRunner  # noqa: E402

from ascendify.cli.app import app  # noqa: E402
from ascendify.zoo import networks, settings  # noqa: E402
from ascendify.zoo.bench import measure  # noqa: E402
from ascendify.zoo.bench.plain import PLAIN  # noqa: E402
from ascendify.zoo.device import open_device  # noqa: E402


@pytest.mark.parametrize(
    ("network", "preset", "more"),
    [
        ("crnn", "tiny", ()),
        ("crnn", "guide", ()),
        ("attention-ocr", "tiny", ()),
        ("attention-ocr", "guide", ("model.coordinates=true",)),
    ],
)
def test_the_same_weights_give_the_same_loss(
    network: str, preset: str, more: tuple[str, ...]
) -> None:
    recipe = networks.find(network)
    words = (*PLAIN[network].overrides, "train.batch=2", "train.precision=fp32", *more)
    made = recipe(settings.override(networks.preset(recipe, preset), words))
    torch.manual_seed(7)
    weights = made.model().state_dict()
    plain, zoo = measure.losses(made, PLAIN[network], weights, open_device("cpu"))
    assert zoo == pytest.approx(plain, rel=1e-5)


def test_the_command_measures_both() -> None:
    words = ["zoo", "bench", "crnn", "-p", "tiny", "-b", "2", "--rounds", "1", "--device", "cpu"]
    done = CliRunner().invoke(app, [*words, "--output-format", "json"])
    assert done.exit_code == 0, done.output
    found = json.loads(done.output)
    assert found["batch"] == 2
    assert found["plain"] > 0 and found["zoo"] > 0
    assert found["plain_loss"] == pytest.approx(found["zoo_loss"], rel=1e-4)
