"""The same random numbers in both runs, unless the program chooses its own seeds.

Each rank has a seed of its own: ranks that start from different weights are how a missing
broadcast shows.
"""

import random

from ascendify_startup import import_hooks
from ascendify_startup.process_rank import rank


def begin(seed):
    """Seed the standard library now, numpy and the frameworks when they come."""
    seed += rank()
    random.seed(seed)
    import_hooks.after("numpy", lambda: _seed_numpy(seed))
    import_hooks.after("tensorflow", lambda: _seed_tensorflow(seed))
    import_hooks.after("torch", lambda: _seed_torch(seed))


def _seed_numpy(seed):
    import numpy

    numpy.random.seed(seed)


def _seed_torch(seed):
    import torch

    # one thread adds up in one order, and the order of what autograd's threads run is not ours
    torch.set_num_threads(1)
    torch.manual_seed(seed)


def _seed_tensorflow(seed):
    from tensorflow.python.eager import context
    from tensorflow.python.framework import ops, random_seed

    _seed_graphs(ops.Graph, seed)
    _number_random_operations(ops, context, random_seed)
    if context.executing_eagerly():
        context.set_global_seed(seed)


def _seed_graphs(graph, seed):
    """Answer our seed for as long as a graph has none.

    Giving it one when it is made would not do: an estimator whose configuration names no seed
    takes the seed of its graph away.
    """
    own = graph.seed

    def of(self):
        chosen = own.fget(self)
        return seed if chosen is None else chosen

    graph.seed = property(of, own.fset)


def _number_random_operations(ops, context, random_seed):
    """Derive the seed of an operation from how many random ones came before it in its graph.

    TensorFlow 1 derives it from how many operations of any kind came before, so that a migrated
    program, which has a few more, would start from other weights. TensorFlow 2 counts as we do.
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
