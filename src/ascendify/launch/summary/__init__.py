"""Summary: loss, accuracy and speed of a training, read from its logs.

A log is read once, block by block, in constant memory. ``formats`` describes the lines, one
file per format; ``blocks`` and ``scan`` read streams; ``series`` and ``tally`` store samples and
extremes of any number of readings; ``figures`` computes figures from them; ``text``, ``json_``,
``csv_``, ``case`` and ``plot`` write the figures. Nothing here knows how the ranks were started.
"""

from __future__ import annotations

from ascendify.launch.summary.figures import RankFigures, Summary, summarise

__all__ = ["RankFigures", "Summary", "summarise"]
