"""Take a snapshot of what an installed TensorFlow 2 says about its own API.

Run with a Python that has the newest release with Keras 2, and with one that has the release the
NPU's adapter is for::

    python tools/introspect_tf2.py tf2      # tensorflow==2.15.1
    python tools/introspect_tf2.py tf2.6    # tensorflow==2.6.*

They write ``tools/catalog/introspection-tf2.json.gz`` and ``introspection-tf2.6.json.gz``, inputs
of ``build_catalog.py``. How a snapshot is laid out: ``introspection.py``. Names of ``compat.v1``
are recorded with ``tf2.compat.v1`` before them.
"""

import sys
from pathlib import Path

from introspection import Registry, record, tf, walk_api, walk_private, write

FOLDER = Path(__file__).parent / "catalog"
PRIVATE_ROOTS = ("tensorflow.python", "tensorflow.core", "tensorflow_estimator.python", "keras")
SKIPPED_PARTS = """
    _api api autograph benchmarks debug examples integration_test kernel_tests legacy_tf_layers mlir
    quantization standard_ops tensorrt test_util testing testing_infra testing_utils tests tools
""".split()  # noqa: SIM905  quoted words would be harder to read
"""Parts of module paths that no training script imports; some of them do not even load."""


def is_left_out(path, name):
    """Whether a module is walked on its own, or is the API once more."""
    return name == "compat" or (path == "tf2.compat" and name in ("v1", "v2"))


def walk_public(registry):
    """Module path -> {attribute: number} of the documented API, compat.v1 included."""
    public = {}
    walk_api(registry, public, tf, "tf2", is_left_out)
    # What these modules are called depends on the release, so the walk may not know them.
    walk_api(registry, public, tf.summary, "tf2.summary", is_left_out)
    walk_api(registry, public, tf.compat, "tf2.compat", is_left_out)
    walk_api(registry, public, tf.compat.v1, "tf2.compat.v1", is_left_out)
    record(registry, public, tf.compat.v1.app.flags, "tf2.compat.v1.app.flags")
    return public


def main():
    """Write the snapshot under the name that is wanted."""
    registry = Registry()
    public = walk_public(registry)
    private = walk_private(registry, PRIVATE_ROOTS, SKIPPED_PARTS)
    write(registry, public, private, FOLDER / f"introspection-{sys.argv[1]}.json.gz")


if __name__ == "__main__":
    main()
