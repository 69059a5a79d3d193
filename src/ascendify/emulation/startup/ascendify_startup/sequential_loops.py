"""Run the iterations of TensorFlow's loops one after the other.

TensorFlow starts an iteration before the previous one has finished. An operator that draws random
numbers, such as dropout on the inputs of a recurrent cell, does not wait: the order of the draws
then depends on timing, and two runs of one program differ.
"""

import functools

from ascendify_startup import import_hooks


def begin():
    """Change loops when TensorFlow is imported."""
    import_hooks.after("tensorflow", _one_at_a_time)


def _one_at_a_time():
    from tensorflow.python.ops import control_flow_ops, while_v2

    _in_contexts(control_flow_ops.WhileContext)
    _in_functions(while_v2)


def _in_contexts(context):
    original = context.__init__

    @functools.wraps(original)
    def initialise(self, *args, **kwargs):
        original(self, *args, **kwargs)
        self._parallel_iterations = 1

    context.__init__ = initialise


def _in_functions(module):
    original = module.while_loop

    @functools.wraps(original)
    def while_loop(*args, **kwargs):
        if "parallel_iterations" in kwargs:
            kwargs["parallel_iterations"] = 1
        return original(*args, **kwargs)

    module.while_loop = while_loop
