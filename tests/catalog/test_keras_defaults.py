"""Defaults of keras that tf.keras has otherwise."""

from __future__ import annotations

import pytest

from ascendify.catalog import keras_defaults, signatures
from ascendify.catalog._data import table

DEFAULTS = [
    (name, item["parameter"], item[framework], framework)
    for name, items in table("keras-defaults")["defaults"].items()
    for item in items
    for framework in ("tf1", "tf2")
]


@pytest.mark.parametrize(("name", "parameter", "default", "framework"), DEFAULTS)
def test_what_tf_keras_has(name: str, parameter: str, default: str, framework: str) -> None:
    root = {"tf1": "tf", "tf2": "tf2"}[framework]
    known = signatures.signature(f"{root}.keras.{name}")
    assert known is not None
    found = known.parameter(parameter)
    assert found is not None
    assert found.default == default


@pytest.mark.parametrize(
    ("name", "framework", "release", "written"),
    [
        ("optimizers.Adadelta", "tf1", "", {"learning_rate": "1.0"}),
        ("optimizers.Adadelta", "tf2", "2.3", {"learning_rate": "1.0"}),
        ("optimizers.Adam", "tf1", "", {}),
        ("layers.LSTM", "tf1", "", {}),
        ("layers.LSTM", "tf1", "2.2", {}),
        ("layers.LSTM", "tf1", "2.3", {"recurrent_activation": "'sigmoid'"}),
        ("layers.LSTM", "tf2", "2.2", {"recurrent_activation": "'hard_sigmoid'"}),
        ("layers.GRU", "tf2", "2.3", {"reset_after": "False"}),
        ("layers.Dense", "tf1", "2.3", {}),
    ],
)
def test_what_is_written_out(
    name: str, framework: str, release: str, written: dict[str, str]
) -> None:
    found = keras_defaults.differing(name, framework, release)
    assert {item.parameter: item.native for item in found} == written
