"""PyTorch's ImageNet example and its relatives: ``Epoch: [0][10/100] Time 0.1 (0.2) Loss 6.9``."""

from __future__ import annotations

from ascendify.launch.summary.patterns import EVAL, line, lines

_FORMAT = lines(
    "PyTorch ImageNet",
    ((b"oss", b"Epoch: ["), (b"@", b"Acc@1 "), (b"@", b"FPS@all")),
    (
        # Epoch: [0][ 10/100]	Time  0.12 ( 0.46)	Loss 6.9e+00 (7.0e+00)	Acc@1 0.0 (0.1)
        line(
            rb"Epoch: \[(?P<epoch>\d{1,9})\]\[ *(?P<batch>\d{1,9})/(?P<batches>\d{1,9})\]"
            rb",?\s+Time:? +(?P<seconds><N>)(?: \( *<N>\))?"
            rb"(?:[^\n]{0,80}?\sSpeed:? +(?P<throughput><N>))?"
            rb"[^\n]{0,80}?\sLoss:? +(?P<loss><N>)"
            rb"(?:[^\n]{0,60}?\s(?:Acc|Prec)@1:? +(?P<accuracy><N>))?",
            b"Epoch: [",
        ),
        # [npu id: 0 ] * FPS@all 1260.3, TIME@all 0.203
        line(rb"FPS@all (?P<throughput><N>), TIME@all (?P<seconds><N>)", b"FPS@all"),
        #  * Acc@1 76.130 Acc@5 92.862
        line(rb"\* +(?:Acc|Prec)@1 +(?P<accuracy><N>)", b"@1 ", EVAL),
    ),
)
FORMATS = (_FORMAT,)
