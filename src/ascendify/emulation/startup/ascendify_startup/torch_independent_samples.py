"""What :mod:`independent_samples` does for TensorFlow, for PyTorch.

Several devices that divide the batch of one then compute what one computes: samples are read in
order, random numbers that are drawn while training are the same for every sample, step and device,
nothing is dropped, and batch normalization takes 0 and 1 for the statistics of its batch.
"""

import functools
import itertools

from ascendify_startup import import_hooks

_DROPOUTS = (
    "dropout", "dropout1d", "dropout2d", "dropout3d", "alpha_dropout", "feature_alpha_dropout",
)  # fmt: skip
_SIZE_AT = {
    "normal": 2, "uniform": 2, "randint": 2, "standard_normal": 0, "random": 0, "random_sample": 0,
    "rand": None, "randn": None,
}  # fmt: skip
"""numpy's functions -> the position of the size; None where all arguments are the size."""
_TRAINS = []
"""Holds something once a loader was read: numbers drawn before are data and weights."""


def begin():
    """Change PyTorch when it is imported."""
    import_hooks.after("torch", _patch)
    import_hooks.after("numpy", _draw_once_in_numpy)


def _patch():
    _read_in_order()
    _draw_once()
    _keep_all()
    _normalise_alone()


def _read_in_order():
    from torch.utils import data

    def every(self):
        length = len(self.data_source)
        return iter([index % length for index in range(self.num_samples)])

    def first(self):
        weights = len(self.weights)
        return iter([index % weights for index in range(self.num_samples)])

    data.RandomSampler.__iter__ = every
    data.WeightedRandomSampler.__iter__ = first
    data.SubsetRandomSampler.__iter__ = lambda self: iter(self.indices)
    read = data.DataLoader.__iter__

    @functools.wraps(read)
    def begin_training(self):
        _TRAINS.append(True)
        return read(self)

    data.DataLoader.__iter__ = begin_training


def _draw_once():
    import torch

    for name in ("rand", "rand_like"):
        setattr(torch, name, _one_row(getattr(torch, name), _uniform))
    for name in ("randn", "randn_like"):
        setattr(torch, name, _one_row(getattr(torch, name), _normal))
    for name in ("randint", "randint_like"):
        setattr(torch, name, _one_row(getattr(torch, name), _integers))
    torch.bernoulli = _instead(torch.bernoulli, lambda chances: (chances >= 0.5).to(chances.dtype))
    torch.poisson = _instead(torch.poisson, lambda rates: rates.round())
    permute = torch.randperm
    torch.randperm = functools.wraps(permute)(
        lambda *args, **kwargs: _in_order(permute(*args, **kwargs))
    )


def _in_order(numbers):
    return numbers.sort().values if _TRAINS else numbers


def _uniform(row, args, kwargs):
    return row.uniform_()


def _normal(row, args, kwargs):
    return row.normal_()


def _integers(row, args, kwargs):
    limits = [item for item in args if isinstance(item, int)]
    high = kwargs.get("high", limits[-1] if limits else 2)
    low = kwargs.get("low", limits[0] if len(limits) > 1 else 0)
    return row.random_(low, high)


def _one_row(draw, fill):
    """Give a function the same row for all rows, which may be the samples of a batch.

    The row is drawn alone: how PyTorch draws a number depends on the size of the whole.
    """

    @functools.wraps(draw)
    def drawn(*args, **kwargs):
        import torch

        if not _TRAINS or kwargs.get("generator") is not None:
            return draw(*args, **kwargs)
        state = torch.default_generator.get_state()
        torch.default_generator.manual_seed(0)
        value = draw(*args, **kwargs)
        if value.dim() and len(value):
            torch.default_generator.manual_seed(0)
            with torch.no_grad():
                value[:] = fill(torch.empty_like(value[:1]), args, kwargs)
        torch.default_generator.set_state(state)
        return value

    return drawn


def _draw_once_in_numpy():
    import numpy.random

    for name, at in _SIZE_AT.items():
        setattr(numpy.random, name, _one_row_of_numpy(getattr(numpy.random, name), at))


def _one_row_of_numpy(draw, at):
    """Do for numpy's global generator what :func:`_one_row` does for torch's."""

    @functools.wraps(draw)
    def drawn(*args, **kwargs):
        import numpy

        if not _TRAINS:
            return draw(*args, **kwargs)
        state = numpy.random.get_state()
        numpy.random.seed(0)
        try:
            if at is None:
                size, args = args, (1, *args[1:])[: len(args)]
            elif len(args) > at:
                size = args[at]
                args = (*args[:at], _first_row(size), *args[at + 1 :])
            else:
                size = kwargs.get("size")
                kwargs = {**kwargs, "size": _first_row(size)}
            value = draw(*args, **kwargs)
        finally:
            numpy.random.set_state(state)
        return value if size is None or size == () else numpy.broadcast_to(value, size).copy()

    return drawn


def _first_row(size):
    """The size of one row of an array of this size."""
    if size is None or not isinstance(size, (tuple, list)):
        return size if size is None else 1
    return (1, *size[1:]) if size else ()


def _instead(draw, chosen):
    """Give a function that draws by chances a result without chance."""

    @functools.wraps(draw)
    def drawn(input, *args, **kwargs):
        return chosen(input) if _TRAINS else draw(input, *args, **kwargs)

    return drawn


def _keep_all():
    """Drop nothing: layers, functions and recurrent networks all come here."""
    from torch import nn
    from torch.nn import functional

    for name in _DROPOUTS:
        if hasattr(functional, name):
            setattr(functional, name, _identity(getattr(functional, name)))
    attend = getattr(functional, "scaled_dot_product_attention", None)
    if attend is not None:

        @functools.wraps(attend)
        def attention(query, key, value, attn_mask=None, dropout_p=0.0, *args, **kwargs):
            return attend(query, key, value, attn_mask, 0.0, *args, **kwargs)

        functional.scaled_dot_product_attention = attention
    make = nn.RNNBase.__init__

    @functools.wraps(make)
    def without_dropout(self, *args, **kwargs):
        make(self, *args, **kwargs)
        self.dropout = 0.0

    nn.RNNBase.__init__ = without_dropout


def _identity(dropout):
    @functools.wraps(dropout)
    def kept(input, *args, **kwargs):
        return input

    return kept


def _normalise_alone():
    """Normalise by the constants with which running statistics begin."""
    from torch.nn import functional

    normalise = functional.batch_norm
    names = ("running_mean", "running_var", "weight", "bias", "training", "momentum", "eps")

    @functools.wraps(normalise)
    def with_constants(input, *args, **kwargs):
        given = dict(itertools.chain(zip(names, args), kwargs.items()))
        if given.get("training"):
            channels = input.detach().new_zeros(input.shape[1])
            given.update(running_mean=channels, running_var=channels + 1, training=False)
        given.setdefault("running_mean", None)
        given.setdefault("running_var", None)
        return normalise(input, **given)

    functional.batch_norm = with_constants
