"""Whether the ranks of a job have exchanged gradients, and how they were combined."""

_reduced = [False]
_broadcast = [False]
_observers = []


def note_reduction():
    """Remember a reduction over the ranks."""
    _reduced[0] = True


def has_reduced():
    """Whether this process has reduced anything over the ranks."""
    return _reduced[0]


def note_broadcast():
    """Remember a broadcast of variables."""
    _broadcast[0] = True


def has_broadcast():
    """Whether this process has broadcast any variable."""
    return _broadcast[0]


def observe(observer):
    """Have a function called with every list of tensors that is reduced, and the reduction."""
    _observers.append(observer)


def tell_observers(tensors, reduction):
    """Call the observers."""
    for observer in _observers:
        observer(tensors, reduction)
