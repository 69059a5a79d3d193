"""Names of the native keras package, read as the tf.keras names they become."""

from __future__ import annotations

import pytest

from ascendify.catalog import native_keras
from ascendify.catalog.knowledge import CatalogKnowledge

MOVED = {
    "keras": "tf.keras",
    "keras.layers.Dense": "tf.keras.layers.Dense",
    "keras.models.Sequential.fit": "tf.keras.Sequential.fit",
    "keras.layers.core.Dense": "tf.keras.layers.Dense",
    "keras.layers.advanced_activations.LeakyReLU": "tf.keras.layers.LeakyReLU",
    "keras.backend.tensorflow_backend": "tf.keras.backend",
    "keras.backend.tensorflow_backend.set_session": "tf.keras.backend.set_session",
    "keras.engine.topology.Layer": "tf.keras.layers.Layer",
    "keras.engine.topology.Input": "tf.keras.Input",
    "keras.utils.np_utils.to_categorical": "tf.keras.utils.to_categorical",
    "keras.utils.training_utils.multi_gpu_model": "tf.keras.utils.multi_gpu_model",
    "keras.objectives.mse": "tf.keras.losses.MSE",
    "keras.applications.resnet50": "tf.keras.applications.resnet50",
}
NATIVE_ONLY = (
    "keras.layers.Merge",
    "keras.layers.recurrent.Recurrent",
    "keras.legacy.interfaces",
    "keras.engine",
    "keras.utils.np_utils",
    "keras.backend.common",
)


@pytest.mark.parametrize(("native", "expected"), MOVED.items(), ids=list(MOVED))
def test_names_that_tf_keras_has(native: str, expected: str) -> None:
    assert CatalogKnowledge().canonical(native) == expected


@pytest.mark.parametrize("name", NATIVE_ONLY)
def test_names_that_tf_keras_lacks_keep_their_spelling(name: str) -> None:
    assert CatalogKnowledge().canonical(name) == name


def test_other_packages_with_keras_in_their_name_are_left_alone() -> None:
    assert CatalogKnowledge().canonical("keras_contrib.layers.CRF") == "keras_contrib.layers.CRF"


@pytest.mark.parametrize(
    ("dotted", "expected"),
    [
        ("keras.layers.Dense", True),
        ("keras.losses.mse", True),
        ("keras.backend", True),
        ("keras.__version__", True),
        ("keras.layers.core.Dense", False),
        ("keras.backend.tensorflow_backend", False),
        ("keras.nothing_like_it", False),
    ],
)
def test_what_can_be_written_below_tensorflow(dotted: str, expected: bool) -> None:
    assert native_keras.is_public(dotted) is expected
