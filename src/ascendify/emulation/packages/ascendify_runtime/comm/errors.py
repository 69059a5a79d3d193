"""The error of a collective that cannot be completed."""


class CollectiveError(RuntimeError):
    """Names the ranks, the collectives they called, and what to do."""
