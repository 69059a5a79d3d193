"""Benchmarks in the manner of Horovod and tf_cnn_benchmarks: ``Iter #3: 302.5 img/sec per GPU``."""

from __future__ import annotations

from ascendify.launch.summary.patterns import line, lines

_FORMAT = lines(
    "images/sec",
    ((b"/sec", b"images/sec"), (b"/sec", b"img/sec"), (b"/sec", b"samples/sec")),
    (
        # Iter #3: 302.5 img/sec per GPU
        line(rb"Iter #(?P<step>\d{1,18}): (?P<own_throughput><N>) img/sec per", b"img/sec per"),
        # Total img/sec on 8 GPU(s): 2400.8 +-18.4
        line(rb"Total img/sec on \d+ \w+\(s\): (?P<throughput><N>)", b"Total img/sec"),
        # 10	images/sec: 302.5 +/- 1.2 (jitter = 3.4)	7.958
        line(
            rb"\n *(?P<step>\d{1,18})\s+images/sec: (?P<throughput><N>) \+/- <N> \(jitter = <N>\)"
            rb"(?:\s+(?P<loss><N>))?",
            b"images/sec:",
        ),
        # Epoch[0] Batch [20]	Speed: 302.5 samples/sec
        line(rb"Speed: *(?P<own_throughput><N>) samples/sec", b"samples/sec"),
    ),
)
FORMATS = (_FORMAT,)
