"""AlexNet: ``step:   700  epoch:  0.6  FPS:33558.6, loss: 6.754, ...  batch_time:3.051382``.

``FPS`` counts the samples of all ranks; ``batch_time`` is the time since the line before.
"""

from __future__ import annotations

from ascendify.launch.summary.patterns import EVAL, line, lines

_NAME = "AlexNet"
_TRAINING = lines(
    _NAME,
    ((b"oss", b"FPS:"),),
    (
        line(
            rb"step: *(?P<step>\d{1,18}) +epoch: *<N> +FPS: *(?P<throughput><N>), "
            rb"loss: *(?P<loss><N>), total_loss: *<N>"
            rb"(?: +lr: *<N> +batch_time: *(?P<interval><N>))?",
            b"FPS:",
        ),
    ),
)
_EVALUATION = lines(
    _NAME,
    ((b"oss", b"top1 "),),
    (
        # step      epoch  top1    top5     loss   checkpoint_time(UTC)
        # 187700   150.0  60.120   82.06    2.57  2020-06-18 13:12:14
        line(
            rb"\n *(?P<step>\d{1,18}) +<N> +(?P<accuracy><N>) +<N> +(?P<loss><N>) +"
            rb"\d{4}-\d\d-\d\d ",
            b"-",
            EVAL,
        ),
    ),
)
FORMATS = (_TRAINING, _EVALUATION)
