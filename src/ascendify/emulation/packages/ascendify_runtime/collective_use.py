"""Whether the ranks of a job have exchanged gradients."""

_reduced = [False]


def note_reduction():
    """Remember a reduction over the ranks."""
    _reduced[0] = True


def has_reduced():
    """Whether this process has reduced anything over the ranks."""
    return _reduced[0]
