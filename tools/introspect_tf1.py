"""Take a snapshot of what an installed TensorFlow 1.15 says about its own API.

Run with a Python that has ``tensorflow==1.15.0``::

    python tools/introspect_tf1.py

It writes ``tools/catalog/introspection-tf1.json.gz``, an input of ``build_catalog.py``. How a
snapshot is laid out: ``introspection.py``.
"""

import importlib
from pathlib import Path

from introspection import (
    Registry,
    belongs_to_tensorflow,
    is_module,
    members,
    record,
    tf,
    walk_api,
    walk_private,
    write,
)

OUTPUT = Path(__file__).parent / "catalog" / "introspection-tf1.json.gz"

CONTRIB = """
    checkpoint cluster_resolver crf cudnn_rnn data distribute distributions eager estimator
    factorization feature_column framework image layers learn legacy_seq2seq lookup losses
    memory_stats metrics mixed_precision model_pruning nn opt optimizer_v2 predictor quantize rnn
    saved_model seq2seq signal slim slim.nets solvers sparsemax stateless summary tensorboard tpu
    training util
""".split()  # noqa: SIM905  forty quoted words would be harder to read
"""The contrib packages that training scripts import."""

PRIVATE_ROOTS = (
    "tensorflow.python",
    "tensorflow.core",
    "tensorflow.contrib",
    "tensorflow_estimator.python",
)
SKIPPED_PARTS = """
    _api api autograph bayesflow bigtable boosted_trees debug examples ffmpeg fused_conv gan gdr
    graph_editor grid_rnn hadoop ignite kafka kernel_tests kinesis labeled_tensor mpi_collectives
    quantization receptive_field specs standard_ops tensor_forest tensorrt test_util testing tests
    timeseries tools verbs
""".split()  # noqa: SIM905
"""Parts of module paths that no training script imports; some of them do not even load."""


def contrib_package(name):
    """What ``tf.contrib.<name>`` is, which need not be the module of that path."""
    found = getattr(tf.contrib, name, None)
    return importlib.import_module("tensorflow.contrib." + name) if found is None else found


def walk_contrib(registry, public, module, path, depth):
    """Record what a contrib package defines, and its modules to a depth."""
    table = {}
    for name, obj in members(module).items():
        if is_module(obj):
            inner = obj.__name__.replace("tensorflow_core", "tensorflow")
            if depth and ".python." in inner and inner.startswith("tensorflow.contrib."):
                walk_contrib(registry, public, obj, path + "." + name, depth - 1)
        elif callable(obj) and belongs_to_tensorflow(obj):
            table[name] = registry.number(obj)
    if table:
        public[path] = table


def is_left_out(path, name):
    """Whether a module of the API is recorded in another way, or is the API once more."""
    return (
        (path == "tf" and name == "contrib")
        or (path == "tf.compat" and name == "v1")
        or ("compat" in path and name == "compat")
    )


def walk_public(registry):
    """Module path -> {attribute: number} of the documented API: tf.*, compat.v2 and contrib."""
    public = {}
    walk_api(registry, public, tf, "tf", is_left_out)
    for path in ("tf.app.flags", "tf.compat.v2.summary"):
        module = tf
        for part in path.split(".")[1:]:
            module = getattr(module, part)
        record(registry, public, module, path)
    for name in CONTRIB:
        walk_contrib(registry, public, contrib_package(name), "tf.contrib." + name, 1)
    return public


def main():
    """Write the snapshot."""
    registry = Registry()
    public = walk_public(registry)
    private = walk_private(registry, PRIVATE_ROOTS, SKIPPED_PARTS)
    write(registry, public, private, OUTPUT)


if __name__ == "__main__":
    main()
