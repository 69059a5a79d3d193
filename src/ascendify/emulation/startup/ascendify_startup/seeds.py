"""Give both runs the same random numbers, unless the program sets its own seeds.

Each rank has a different seed: if the ranks then start from different weights, a broadcast is
missing.
"""

import collections
import functools
import random
import sys
import zlib

from ascendify_startup import import_hooks, native_keras_draws
from ascendify_startup.process_rank import rank


def begin(seed):
    """Seed the standard library now, numpy and the frameworks when they are imported."""
    seed += rank()
    random.seed(seed)
    _never_from_system(random, seed)
    _seed_generators(random.Random, seed)
    import_hooks.after("numpy", lambda: _seed_numpy(seed))
    import_hooks.after("tensorflow", lambda: _seed_tensorflow(seed))
    import_hooks.after("torch", lambda: _seed_torch(seed))
    native_keras_draws.begin()


def _seed_numpy(seed):
    import numpy

    numpy.random.seed(seed)
    _never_from_system(numpy.random, seed)
    bits = sys.modules.get("numpy.random.bit_generator")
    if hasattr(bits, "randbits"):
        # the function that default_rng() and others without a seed call
        bits.randbits = lambda count: _next(seed, "numpy").getrandbits(count)


_GENERATORS = collections.Counter()
"""How many generators each module has made without a seed."""


def _next(seed, kind):
    """Return a generator for a module that made one without a seed.

    It depends on the module it is for, because a migrated program imports others besides.
    """
    module = "%s of %s" % (kind, _calling_module())
    _GENERATORS[module] += 1
    made = random.Random(0)  # noqa: S311 (as random as what it replaces)
    made.seed(seed + (zlib.crc32(module.encode()) + _GENERATORS[module] << 32))
    return made


def _calling_module():
    """Return the name of the module that made a generator."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__") in ("random", __name__):
        frame = frame.f_back
    return frame.f_globals.get("__name__")


def _seed_generators(generator, seed):
    """Give ``random.Random()`` a seed; not where names of temporary files are drawn."""
    original = generator.seed

    @functools.wraps(original)
    def begin(self, a=None, *args, **kwargs):
        if a is None and _calling_module() != "tempfile":
            a = _next(seed, "random").getrandbits(64)
        return original(self, a, *args, **kwargs)

    generator.seed = begin


def _never_from_system(module, seed):
    """Take our seed where ``seed()`` is called without one, which would ask the system for it.

    TensorFlow's input functions for arrays call ``random.seed(None)``.
    """
    original = module.seed

    @functools.wraps(original)
    def begin_again(given=None, *args, **kwargs):
        return original(seed if given is None else given, *args, **kwargs)

    module.seed = begin_again


def _seed_torch(seed):
    import torch

    # one thread gives sums a fixed order; the order of autograd's threads cannot be set
    torch.set_num_threads(1)
    torch.set_num_threads = _keep_one_thread
    torch.manual_seed(seed)
    _never_from_the_clock(torch, seed)


def _keep_one_thread(num):
    """Replace ``torch.set_num_threads``: with more threads, sums depend on their number."""


def _never_from_the_clock(torch, seed):
    """Take our seed in ``torch.seed()``, which would ask the system for it."""

    def begin_again():
        torch.manual_seed(seed)
        return seed

    torch.seed = torch.random.seed = begin_again


def _seed_tensorflow(seed):
    from tensorflow.python.eager import context
    from tensorflow.python.framework import ops, random_seed

    _seed_graphs(ops.Graph, seed)
    _number_random_operations(ops, context, random_seed)
    _draw_alike_in_both_precisions()
    if context.executing_eagerly():
        context.set_global_seed(seed)


def _draw_alike_in_both_precisions():
    """Draw 64-bit floats as 32-bit ones, so that a network begins alike in both types.

    An original may compute with float64, because NumPy made its input so; its migration cannot.
    """
    from tensorflow.python.framework import dtypes
    from tensorflow.python.ops import gen_random_ops, math_ops

    def wrapped(original):
        @functools.wraps(original)
        def draw(shape, dtype, *args, **kwargs):
            if dtypes.as_dtype(dtype) != dtypes.float64:
                return original(shape, dtype, *args, **kwargs)
            drawn = original(shape, dtypes.float32, *args, **kwargs)
            return math_ops.cast(drawn, dtypes.float64)

        return draw

    for name in ("random_uniform", "random_standard_normal", "truncated_normal"):
        setattr(gen_random_ops, name, wrapped(getattr(gen_random_ops, name)))


def _seed_graphs(graph, seed):
    """Return our seed for every graph without a seed.

    Setting it once on a new graph is not enough: an estimator whose configuration has no seed
    resets the seed of its graph.
    """
    own = graph.seed

    def of(self):
        chosen = own.fget(self)
        return seed if chosen is None else chosen

    graph.seed = property(of, own.fset)


def _number_random_operations(ops, context, random_seed):
    """Derive the seed of an operation from the number of random operations before it in its graph.

    TensorFlow 1 derives it from the number of all operations before it, so that a migrated program,
    which has a few more, would start from other weights. TensorFlow 2 counts as this function does.
    """
    original = random_seed.get_seed

    def get_seed(op_seed):
        if op_seed is None and not context.executing_eagerly():
            graph = ops.get_default_graph()
            if graph.seed is not None:
                op_seed = getattr(graph, "_ascendify_random_operations", 0)
                graph._ascendify_random_operations = op_seed + 1
        return original(op_seed)

    random_seed.get_seed = get_seed
