"""What expressions of a file for TensorFlow 2 are, and of one for TensorFlow 1 beside it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from ascendify.catalog.knowledge import CatalogKnowledge
from ascendify.source.inference.resolver import Resolver
from ascendify.source.project import Project

HEAD = """
import horovod.tensorflow.keras as hvd
import keras as native
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras.layers import *
"""

KINDS = {
    "tf.data.Dataset.from_tensor_slices(x).shuffle(3).batch(8)": "tf2.data.Dataset",
    "tf.keras.utils.image_dataset_from_directory('x').map(f)": "tf2.data.Dataset",
    "keras.Sequential([Dense(3)])": "tf2.keras.Sequential",
    "native.models.Model(a, b)": "tf2.keras.Model",
    "Dense(3)": "tf2.keras.layers.Dense",
    "tf.optimizers.Adam(0.1)": "tf2.keras.optimizers.Adam",
    "keras.models.load_model('x').optimizer": "tf2.keras.optimizers.Optimizer",
    "hvd.DistributedOptimizer(opt)": "tf2.keras.optimizers.Optimizer",
    "tf.distribute.get_strategy()": "tf2.distribute.Strategy",
    "tf.config.list_physical_devices('GPU')[0]": "tf2.config.PhysicalDevice",
    "tf.compat.v1.Session()": "tf.Session",
    "tf.compat.v1.train.AdamOptimizer(0.1)": "tf.train.AdamOptimizer",
    "tf.compat.v2.data.Dataset.range(3)": "tf2.data.Dataset",
}


def kinds(files: dict[str, str], releases: dict[str, str]) -> tuple[tuple[str, ...], bool]:
    """What the last value of ``main.py`` is."""
    project = Project(Path(), list(files), files)
    module = project.module("main.py")
    assert module is not None
    module.index  # noqa: B018 - marks parents and scopes
    last = module.tree.body[-1]
    assert isinstance(last, ast.Assign)
    return Resolver(project, CatalogKnowledge(releases)).kinds(module, last.value)


@pytest.mark.parametrize(("text", "kind"), KINDS.items(), ids=KINDS)
def test_kinds_carry_their_release(text: str, kind: str) -> None:
    assert kinds({"main.py": f"{HEAD}value = {text}\n"}, {"main.py": "tf2"}) == ((kind,), True)


@pytest.mark.parametrize(("release", "kind"), [("tf1", "tf.Tensor"), ("tf2", "tf2.Tensor")])
def test_a_name_is_of_the_release_of_the_file_that_imports_it(release: str, kind: str) -> None:
    files = {
        "helper.py": "import tensorflow as tf\n\n\ndef mean(x):\n    return tf.reduce_mean(x)\n",
        "main.py": "from helper import mean, tf\n\nvalue = mean(1)\n",
    }
    assert kinds(files, {"helper.py": release}) == ((kind,), True)
    files["main.py"] = "from helper import tf\n\nvalue = tf.reduce_mean(1)\n"
    assert kinds(files, {"helper.py": release}) == ((kind,), True)
