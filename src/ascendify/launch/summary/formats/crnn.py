"""CRNN: ``Epoch_Train: 100 cost=  2.345, lr=  0.08, FPS: 3048.5, step_per_sec: 0.168``.

What it calls an epoch is a step, and its ``step_per_sec`` is in seconds per step. ``FPS`` counts
the samples of all ranks.
"""

from __future__ import annotations

from ascendify.launch.summary.patterns import EVAL, line, lines

_FORMAT = lines(
    "CRNN",
    ((b"Epoch_Train", b"Epoch_Train"),),
    (
        # Epoch_Train: 100 cost=  2.345678, lr=  0.080000, FPS: 3048.512300, step_per_sec: 0.167953
        # Epoch_Train: 501 cost=  2.345678 seq distance=  0.912345 train accuracy=  0.421875
        # Epoch_Train: 101 total_loss= 12.345678 lr= 0.080000 mean_cost_time= 0.16795s
        line(
            rb"Epoch_Train: +(?P<step>\d{1,18}) (?:cost|total_loss)= *(?P<loss><N>)"
            rb"(?:,? +lr= *<N>)?(?:, FPS: *(?P<throughput><N>))?"
            rb"(?:(?:, step_per_sec:| +mean_cost_time=) *(?P<seconds><N>))?"
            rb"(?: seq distance= *<N> train accuracy= *(?P<accuracy><N>))?",
            b"Epoch_Train:",
        ),
        # Epoch_Val: 501 cost=  2.345678 seq distance=  0.912345 train accuracy=  0.421875, time= 1
        line(
            rb"Epoch_Val: +(?P<step>\d{1,18}) (?:cost|total_loss)= *(?P<loss><N>)"
            rb"(?: seq distance= *<N> train accuracy= *(?P<accuracy><N>))?",
            b"Epoch_Val:",
            EVAL,
        ),
    ),
)
_TEST = lines(
    "CRNN test",
    ((b"accuracy is", b"Mean test "),),
    (
        # Mean test full sequence accuracy is 0.912345; that of single characters flatters
        line(rb"Mean test full sequence accuracy is +(?P<accuracy><N>)", b"Mean test ", EVAL),
    ),
)
FORMATS = (_TEST, _FORMAT)
"""The first has the accuracy of whole words, which counts where both have equally many."""
