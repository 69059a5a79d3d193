"""Find the tensor that a program minimises, whatever its name is.

The call that computes gradients names the loss. A wrapper that scales the loss calls the wrapped
optimizer with the scaled loss, so the loss of the outermost optimizer is kept.
"""

import functools

_OUTERMOST = []
"""The loss of the outermost running call of an optimizer."""
_KEY = "_ascendify_losses"
"""Attribute of a graph: names of operations that compute a gradient, to the names of the losses."""


def begin():
    """Watch every optimizer class, also those defined later, and the function for gradients."""
    from tensorflow.python.ops import gradients_util
    from tensorflow.python.training import optimizer

    _watch_gradients(gradients_util)
    _watch_class(optimizer.Optimizer)
    _watch_later_classes(optimizer.Optimizer)


def losses_of(graph):
    """Return the names of operations that compute gradients, with the name of the loss of each."""
    return getattr(graph, _KEY, {})


def _watch_gradients(module):
    original = module._GradientsHelper

    @functools.wraps(original)
    def helper(ys, xs, *args, **kwargs):
        gradients = original(ys, xs, *args, **kwargs)
        _remember(_OUTERMOST[0] if _OUTERMOST else ys, gradients)
        return gradients

    module._GradientsHelper = helper


def _remember(loss, gradients):
    """Store on the graph which operations belong to which loss; both are then freed together."""
    losses = [one for one in _listed(loss) if _is_scalar_float(one)]
    if len(losses) != 1:
        return
    graph = losses[0].graph
    known = getattr(graph, _KEY, None)
    if known is None:
        known = {}
        setattr(graph, _KEY, known)
    for gradient in _listed(gradients):
        tensor = getattr(gradient, "values", gradient)  # of IndexedSlices, the values
        operation = getattr(tensor, "op", None)
        if operation is not None and operation.graph is graph:
            known.setdefault(operation.name, losses[0].name)


def _listed(value):
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _is_scalar_float(tensor):
    dtype = getattr(tensor, "dtype", None)
    shape = getattr(tensor, "shape", None)
    if dtype is None or shape is None or not hasattr(tensor, "op"):
        return False
    rank = shape.ndims
    return dtype.is_floating and (rank == 0 or rank is None)


def _watch_class(cls):
    for name in ("compute_gradients", "minimize"):
        method = cls.__dict__.get(name)
        if callable(method) and not hasattr(method, "_ascendify"):
            setattr(cls, name, _watched(method))
    for subclass in cls.__subclasses__():
        _watch_class(subclass)


def _watched(method):
    @functools.wraps(method)
    def call(self, loss, *args, **kwargs):
        if callable(loss) and not hasattr(loss, "op"):
            return method(self, loss, *args, **kwargs)
        _OUTERMOST.append(loss)
        try:
            return method(self, loss, *args, **kwargs)
        finally:
            _OUTERMOST.pop()

    call._ascendify = True
    return call


def _watch_later_classes(cls):
    def follow(subclass, **kwargs):
        super(cls, subclass).__init_subclass__(**kwargs)
        _watch_class(subclass)

    cls.__init_subclass__ = classmethod(follow)
