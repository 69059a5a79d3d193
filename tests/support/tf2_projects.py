"""The examples for TensorFlow 2, and what people make of them by hand for the NPU."""

from __future__ import annotations

import shutil
from pathlib import Path

EXAMPLES = Path(__file__).parents[2] / "examples"
OPEN = "    npu_device.open().as_default()\n"

CHANGES: dict[str, tuple[tuple[str, str], ...]] = {
    "tf2-keras-fit": (
        ("import numpy as np\n", "import npu_device\nimport numpy as np\n"),
        (
            '    gpus = tf.config.list_physical_devices("GPU")\n'
            "    for gpu in gpus:\n"
            "        tf.config.experimental.set_memory_growth(gpu, True)\n"
            '    print("training on", len(gpus), "GPU")\n',
            OPEN,
        ),
        (".batch(args.batch_size).prefetch", ".batch(args.batch_size, True).prefetch"),
        (
            '    with tf.device("/GPU:0"):\n'
            "        model = build_model(x_train.shape[1:], args.dropout)\n",
            "    model = build_model(x_train.shape[1:], args.dropout)\n",
        ),
    ),
    "tf2-custom-loop": (
        ("import tensorflow as tf\n", "import npu_device\nimport tensorflow as tf\n"),
        ("def main(_):\n", "def main(_):\n" + OPEN),
        (".batch(FLAGS.batch_size)", ".batch(FLAGS.batch_size, drop_remainder=True)"),
    ),
    "tf2-compat-v1": (
        (
            "tf.disable_v2_behavior()\n",
            "import npu_device\n"
            "from npu_device.compat.v1.npu_init import npu_config_proto\n\n"
            "npu_device.compat.enable_v1()\n",
        ),
        ('    os.environ["CUDA_VISIBLE_DEVICES"] = "0"\n', ""),
        ("tf.Session(config=config)", "tf.Session(config=npu_config_proto(config))"),
    ),
}
"""Project -> texts of its ``train.py`` and what replaces them."""


def migrated(name: str, folder: Path, *more: tuple[str, str]) -> Path:
    """Copy an example and change its ``train.py``; return the copy."""
    return changed(name, folder, *CHANGES[name], *more)


def changed(name: str, folder: Path, *changes: tuple[str, str]) -> Path:
    """Copy an example with some changes of its ``train.py``; return the copy."""
    copy = folder / name
    shutil.copytree(EXAMPLES / name, copy, ignore=shutil.ignore_patterns("__pycache__"))
    script = copy / "train.py"
    text = script.read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    script.write_text(text, encoding="utf-8")
    return copy
