"""ResNet-50 of the TensorFlow models: the guides' event log, benchmark metrics, TimeHistory.

``time_ts`` counts hundredths of a second. The hook that prints examples a second knows only its own
rank; TimeHistory knows the global batch.
"""

from __future__ import annotations

from ascendify.launch.summary.patterns import EVAL, TRAIN, LinePattern, ReadingKind, line, lines


def _metric(name: bytes, field: bytes, kind: ReadingKind) -> LinePattern:
    """``{"name": "accuracy", "value": 0.76, "unit": null, "global_step": 9, "timestamp": ...}``."""
    return line(
        rb"""["']name["']: ["']%b["'], ["']value["']: (?P<%b><N>), """
        rb"""["']unit["']: [^,\n]{1,32}, ["']global_step["']: (?P<step>\d{1,18})""" % (name, field),
        b"global_step",
        kind,
    )


_FORMAT = lines(
    "ResNet events",
    ((b"/sec", b"examples/sec"), (b"oss", b"'train_loss'")),
    (
        # namespace:work 0,time_ts:158800000000,event_type:epoch_start, root_dir:/home/resnet
        line(rb"n[ae]mespace:[^,\n]{0,80},time_ts:(?P<centiseconds>\d{1,18})", b"time_ts:"),
        _metric(rb"current_examples_per_sec", b"own_throughput", TRAIN),
        _metric(rb"(?:train_loss|cross_entropy)", b"loss", TRAIN),
        _metric(rb"train_accuracy", b"accuracy", TRAIN),
        _metric(rb"accuracy", b"accuracy", EVAL),
        _metric(rb"loss", b"loss", EVAL),
        # Average examples/sec: 1250.4 (1261.3), step = 100
        line(
            rb"Average examples/sec: <N> \((?P<own_throughput><N>)\), step = (?P<step>\d{1,18})",
            b"examples/sec",
        ),
        # TimeHistory: 45.88 seconds, 3570.88 examples/second between steps 0 and 1281
        line(
            rb"TimeHistory: <N> seconds, (?P<throughput><N>) examples/second between steps \d+ and "
            rb"(?P<step>\d{1,18})",
            b"TimeHistory",
        ),
        # {'train_loss': 6.21, 'train_accuracy': 0.04}
        line(
            rb"\{'train_loss': (?P<loss><N>)(?:, 'train_accuracy': (?P<accuracy><N>))?",
            b"'train_loss'",
        ),
    ),
    first=(b"time_ts:", b'"global_step"'),
)
FORMATS = (_FORMAT,)
