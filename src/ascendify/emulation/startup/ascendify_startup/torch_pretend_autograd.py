"""Mark tensors that autograd passes to Python: gradients, saved tensors, arguments of hooks.

A backward pass is a call of a torch function, and modes are inactive inside such a call. So the
mode of the pretended GPU is entered again for the whole pass, and where autograd calls Python code
in other threads; the tensors that it passes are marked.
"""

import inspect

from ascendify_startup import torch_pretend_graphs
from ascendify_startup.torch_pretend_marks import first_marked, mark, mark_new, marked

_NODE = "_ascendify_gpu"
"""Attribute of an autograd node: the GPU on which its function was called."""


def begin():
    """Mark arguments and results of functions with their own backward pass."""
    import torch

    _engine(torch.autograd.Variable)
    _functions(torch.autograd.function)
    _saved(torch.autograd.graph.saved_tensors_hooks)
    _module_hooks(torch.utils.hooks.BackwardHook)
    _transforms(torch)
    _scripts(torch)


def answers(torch):
    """Return replacements that register hooks with marked gradients."""
    found = {}
    for name in ("register_hook", "register_post_accumulate_grad_hook"):
        register = getattr(torch.Tensor, name, None)
        if register is not None:
            found[register] = _registering(register)
    return found


def _registering(register):
    def answer(tensor, hook):
        index = marked(tensor)

        def on_gpu(given):
            return hook(given if index is None else mark_new(given, index))

        return register(tensor, with_mode(on_gpu))

    return answer


def with_mode(function):
    """Wrap a function that autograd calls, to enter the mode of the pretended GPU."""

    def call(*args, **kwargs):
        from ascendify_startup import torch_pretend

        with torch_pretend.enter_mode():
            return function(*args, **kwargs)

    return call


def _engine(variable):
    """Enter the mode for each backward pass, and so for its callbacks."""
    stock = variable._execution_engine
    with_gpu = {"run_backward": with_mode(stock.run_backward)}

    class Engine(object):
        """The engine of autograd."""

        def __getattr__(self, name):
            return with_gpu.get(name) or getattr(stock, name)

    variable._execution_engine = Engine()


def _functions(function):
    # written in Python or in C++, depending on the release
    raw = inspect.getattr_static(function.Function, "apply")

    def apply_(cls, *args, **kwargs):
        return raw.__get__(None, cls)(*args, **kwargs)

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
        return mark_new(result, index)

    function.Function.apply = classmethod(apply)
    backward = with_mode(function.BackwardCFunction.apply)

    def apply_backward(self, *args):
        index = getattr(self, _NODE, None)
        if index is not None:
            mark_new(args, index)
        return backward(self, *args)

    function.BackwardCFunction.apply = apply_backward
    saved = function.BackwardCFunction.saved_tensors

    def saved_tensors(self):
        index = getattr(self, _NODE, None)
        tensors = saved.__get__(self)
        return tensors if index is None else mark_new(tensors, index)

    function.BackwardCFunction.saved_tensors = property(saved_tensors)


def _saved(hooks):
    """Wrap hooks for saved tensors, which activation checkpointing uses."""
    initialise = hooks.__init__

    def init(self, pack_hook, unpack_hook):
        initialise(self, with_mode(pack_hook), with_mode(unpack_hook))

    hooks.__init__ = init


def _module_hooks(hooks):
    """Wrap hooks for the backward pass of a module."""
    initialise = hooks.__init__

    def init(self, module, user_hooks, user_pre_hooks):
        self._ascendify_gpu = None

        def on_gpu(hook):
            def call(module, *gradients):
                if self._ascendify_gpu is not None:
                    mark_new(gradients, self._ascendify_gpu)
                return hook(module, *gradients)

            return with_mode(call)

        ours = [[on_gpu(one) for one in given] for given in (user_hooks, user_pre_hooks)]
        initialise(self, module, *ours)

    set_up = hooks.setup_input_hook

    def setup_input_hook(self, args):
        self._ascendify_gpu = first_marked(args)
        return set_up(self, args)

    hooks.__init__, hooks.setup_input_hook = init, setup_input_hook


def _transforms(torch):
    """Keep marks inside transforms of ``torch.func``."""
    for module in (torch._functorch.eager_transforms, torch._functorch.vmap):
        for name in ("_wrap_for_grad", "_unwrap_for_grad", "_add_batch_dim", "_remove_batch_dim"):
            if hasattr(module, name):
                setattr(module, name, _carrying(getattr(module, name)))


def _carrying(function):
    def carry(tensor, *args):
        result = function(tensor, *args)
        index = marked(tensor)
        return result if index is None else mark(result, index)

    return carry


def _scripts(torch):
    """Mark the results of TorchScript modules like their arguments."""
    call = torch.nn.Module.__call__

    def call_and_mark(self, *args, **kwargs):
        index = first_marked(args)
        result = call(self, *args, **kwargs)
        return result if index is None else mark(result, index)

    torch.jit.ScriptModule.__call__ = call_and_mark
