"""Small projects to migrate."""

from __future__ import annotations

from pathlib import Path

SESSION = "import tensorflow as tf\n\nwith tf.Session() as sess:\n    sess.run(tf.constant(1))\n"
"""A TensorFlow 1 program that cannot stay as it is."""


def write_project(root: Path, **sources: str) -> Path:
    """A project of one module per keyword, ``train`` unless named."""
    root.mkdir(parents=True, exist_ok=True)
    for name, source in (sources or {"train": SESSION}).items():
        (root / f"{name}.py").write_text(source, encoding="utf-8")
    return root
