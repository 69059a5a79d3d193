"""Estimator and MonitoredTrainingSession: ``loss = 0.5, step = 100 (1.234 sec)``."""

from __future__ import annotations

from ascendify.launch.summary.patterns import EVAL, line, lines

_FORMAT = lines(
    "Estimator",
    (
        (b"oss", b", step = "),
        (b"oss", b"Saving dict for global step"),
        (b"oss", b"diverged with loss"),
        (b"/sec", b"global_step/sec"),
    ),
    (
        # INFO:tensorflow:loss = 0.5123, step = 200 (1.234 sec)
        line(
            rb"loss = (?P<loss><N>), step = (?P<step>\d{1,18})(?: \((?P<interval><N>) sec\))?",
            b", step = ",
        ),
        # INFO:tensorflow:global_step/sec: 81.0373
        line(rb"global_step/sec: (?P<rate><N>)", b"global_step/sec"),
        # INFO:tensorflow:Saving checkpoints for 1000 into /tmp/model.ckpt.
        line(rb"Saving checkpoints for (?P<step>\d{1,18}) into", b"Saving "),
        # INFO:tensorflow:Loss for final step: 0.31.
        line(rb"Loss for final step: (?P<loss><N>)", b"Loss for final step"),
        # ERROR:tensorflow:Model diverged with loss = NaN.
        line(rb"Model diverged with loss = (?P<loss><N>)", b"diverged with loss"),
        # Saving dict for global step 1000: accuracy = 0.9, global_step = 1000, loss = 0.3
        line(
            rb"Saving dict for global step (?P<step>\d{1,18}): (?:accuracy = (?P<accuracy><N>))?"
            rb"(?:[^\n]{0,400}?\bloss = (?P<loss><N>))?",
            b"Saving ",
            EVAL,
        ),
    ),
)
FORMATS = (_FORMAT,)
