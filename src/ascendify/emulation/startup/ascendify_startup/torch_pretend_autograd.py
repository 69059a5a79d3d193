"""Marks of what autograd hands to Python: gradients, saved tensors, arguments of hooks."""

from ascendify_startup import torch_pretend_graphs
from ascendify_startup.torch_marks import first_marked, mark, marked

_NODE = "_ascendify_gpu"
"""Attribute of a node of autograd: the GPU its function was called on."""


def begin():
    """Mark what functions with a backward pass of their own get and give."""
    from torch.autograd import function

    apply_ = function.Function.apply.__func__

    def apply(cls, *args, **kwargs):
        index = first_marked(args)
        if torch_pretend_graphs.is_capturing():
            result = torch_pretend_graphs.record_whole(apply_, (cls, *args), kwargs)
        else:
            result = apply_(cls, *args, **kwargs)
        if index is None:
            return result
        for one in result if isinstance(result, tuple) else (result,):
            node = getattr(one, "grad_fn", None)
            if isinstance(node, function.BackwardCFunction):
                setattr(node, _NODE, index)
        return mark(result, index)

    function.Function.apply = classmethod(apply)
    backward = function.BackwardCFunction.apply

    def apply_backward(self, *args):
        index = getattr(self, _NODE, None)
        if index is not None:
            mark(args, index)
        return backward(self, *args)

    function.BackwardCFunction.apply = apply_backward
    saved = function.BackwardCFunction.saved_tensors

    def saved_tensors(self):
        index = getattr(self, _NODE, None)
        tensors = saved.__get__(self)
        return tensors if index is None else mark(tensors, index)

    function.BackwardCFunction.saved_tensors = property(saved_tensors)


def answers(torch):
    """Hooks get gradients that are where the tensor is."""
    register = torch.Tensor.register_hook

    def register_hook(tensor, hook):
        index = marked(tensor)
        if index is None:
            return register(tensor, hook)
        return register(tensor, lambda gradient: hook(mark(gradient, index)))

    return {register: register_hook}
