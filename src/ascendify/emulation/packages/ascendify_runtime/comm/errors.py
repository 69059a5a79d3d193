"""The error of a collective that cannot be completed."""


class CollectiveError(RuntimeError):
    """An error whose message names the ranks, the collectives they called, and what to do."""
