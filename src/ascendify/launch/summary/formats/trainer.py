"""Hugging Face's Trainer: ``{'loss': 0.51, 'grad_norm': 1.2, 'learning_rate': 5e-05, 'epoch': 1}``.

It prints no step; readings are counted. Newer releases write the numbers as strings.
"""

from __future__ import annotations

from ascendify.launch.summary.patterns import EVAL, line, lines

_FORMAT = lines(
    "HF Trainer",
    ((b"oss", b"{'loss': "), (b"oss", b"{'eval_loss': "), (b"oss", b"{'train_runtime': ")),
    (
        line(rb"\{'loss': '?(?P<loss><N>)'?, '", b"{'loss': "),
        # {'train_runtime': 12.3, 'train_samples_per_second': 45.6, 'train_steps_per_second': 1.4,
        line(
            rb"\{'train_runtime': '?(?P<runtime><N>)'?, "
            rb"'train_samples_per_second': '?(?P<throughput><N>)'?, "
            rb"'train_steps_per_second': '?(?P<rate><N>)'?",
            b"{'train_runtime': ",
        ),
        # {'eval_loss': 0.4, 'eval_accuracy': 0.8, 'eval_runtime': 1.2, ...
        line(
            rb"\{'eval_loss': '?(?P<loss><N>)'?"
            rb"(?:[^\n}]{0,200}?'eval_accuracy': '?(?P<accuracy><N>))?",
            b"{'eval_loss': ",
            EVAL,
        ),
    ),
)
FORMATS = (_FORMAT,)
