"""Summary: loss, accuracy and speed of a training, read from its logs.

A log is read once, block by block, in constant memory. ``formats`` knows what the lines look like,
one file a format; ``blocks`` and ``scan`` read streams; ``series`` and ``tally`` keep what is worth
keeping of any number of readings; ``figures`` makes figures of them; ``text``, ``json_``, ``csv_``,
``case`` and ``plot`` write these down. Nothing here knows how the ranks were started.
"""

from __future__ import annotations

from ascendify.launch.summary.figures import RankFigures, Summary, summarise

__all__ = ["RankFigures", "Summary", "summarise"]
