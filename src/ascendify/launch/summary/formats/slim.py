"""TF-Slim, as Attention-OCR prints it: ``global step 999: loss = 30.2755 (0.114 sec/step)``."""

from __future__ import annotations

from ascendify.launch.summary.patterns import EVAL, line, lines

_NAME = "slim"
_TRAINING = lines(
    _NAME,
    ((b"oss", b" sec/step)"),),
    (
        line(
            rb"global step (?P<step>\d{1,18}): loss = (?P<loss><N>) \((?P<seconds><N>) sec/step\)",
            b" sec/step)",
        ),
    ),
)
_EVALUATION = lines(
    _NAME,
    ((b"Accuracy[", b"eval/"),),
    (
        # eval/SequenceAccuracy[0.826643]; that of single characters flatters
        line(rb"eval/(?:Sequence)?Accuracy(?:/value)?\[(?P<accuracy><N>)\]", b"Accuracy[", EVAL),
    ),
)
FORMATS = (_TRAINING, _EVALUATION)
