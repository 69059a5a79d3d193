"""Data sets: rendered ones written to disk or kept in memory, real ones converted, all read back.

This room owns files, splits and numbers of samples; what a picture looks like is ``rendering``'s,
how a record lies in a file ``records``'.
"""
