"""CUDA graphs of the pretended GPU: a replay repeats the calls that were made during the capture.

On a GPU a capture computes nothing. Here the calls run once, so that their results have the right
shapes; their changes, random numbers included, are undone when the capture ends. A replay makes the
same calls with the current values of their arguments, and writes the results into the tensors that
the capture returned.
"""

import itertools
from contextlib import contextmanager

from ascendify_startup import torch_pretend_errors
from ascendify_startup.torch_pretend_cuda import everywhere

_POOLS = itertools.count(1)
_RUNNING = []
"""The running captures: at most one."""


def begin():
    """Replace the class and the functions around it."""
    import torch

    for name, answer in {
        "CUDAGraph": CUDAGraph,
        "graph": graph,
        "graph_pool_handle": _pool,
        "make_graphed_callables": make_graphed_callables,
        "is_current_stream_capturing": is_capturing,
        "export_dot": torch_pretend_errors.refuse("torch.cuda.export_dot"),
        "export_graph_data": torch_pretend_errors.refuse("torch.cuda.export_graph_data"),
    }.items():
        everywhere(torch.cuda, name, answer)


def is_capturing():
    """Whether a capture is running."""
    return bool(_RUNNING)


def record_whole(function, args, kwargs):
    """Capture a call of Python code as one call, in the running capture.

    For functions with their own backward pass, whose inner calls must not be captured one by one.
    """
    return _RUNNING[-1]._calls.whole(function, args, kwargs)


def _pool():
    return (0, next(_POOLS))


def make_graphed_callables(callables, sample_args, *args, **kwargs):
    """Return the callables unchanged: a graph would compute the same."""
    return callables


class CUDAGraph(object):
    """``torch.cuda.CUDAGraph``."""

    def __init__(self, keep_graph=False):
        self._calls = None
        self._own_pool = _pool()

    def capture_begin(self, pool=None, capture_error_mode="global"):
        """Begin to capture."""
        if _RUNNING:
            raise RuntimeError("CUDA error: a graph is being captured already")
        if pool is not None:
            self._own_pool = pool
        self._calls = _calls()
        _RUNNING.append(self)
        self._calls.__enter__()

    def capture_end(self):
        """End the capture."""
        self._calls.__exit__(None, None, None)
        _RUNNING.remove(self)
        self._calls.put_back()

    def instantiate(self):
        """Do nothing: a graph needs no preparation here."""

    def replay(self):
        """Make the captured calls again."""
        if self._calls is None:
            raise RuntimeError("Called CUDAGraph::replay without a preceding successful capture.")
        self._calls.replay()

    def reset(self):
        """Forget what was captured."""
        self._calls = None

    def pool(self):
        """Return the memory pool of the capture."""
        return self._own_pool

    def enable_debug_mode(self):
        """Do nothing."""

    def debug_dump(self, debug_path):
        """Raise an error: there is no CUDA graph to draw."""
        raise torch_pretend_errors.refusal("torch.cuda.CUDAGraph.debug_dump")

    def raw_cuda_graph(self):
        """Raise an error: there is no CUDA graph."""
        raise torch_pretend_errors.refusal("torch.cuda.CUDAGraph.raw_cuda_graph")


class graph(object):  # noqa: N801 (torch's name)
    """``with torch.cuda.graph(g):``."""

    def __init__(self, cuda_graph, pool=None, stream=None, capture_error_mode="global", **kwargs):
        import torch

        self.cuda_graph = cuda_graph
        self.pool = () if pool is None else (pool,)
        self._stream = torch.cuda.stream(stream or torch.cuda.Stream())

    def __enter__(self):
        self._stream.__enter__()
        self.cuda_graph.capture_begin(*self.pool)

    def __exit__(self, *error):
        self.cuda_graph.capture_end()
        self._stream.__exit__(*error)
        return False


def _calls():
    """Return the class of the mode; it needs torch, which is imported after this module."""
    import torch
    from torch.overrides import TorchFunctionMode

    class Calls(TorchFunctionMode):
        """A mode that records every call while it is active."""

        def __init__(self):
            super().__init__()
            self._made = []
            self._results = {}
            """The results of the calls, by identity."""
            self._given = {}
            """Tensors from before the capture, each with a copy and the version copied."""
            self._random = torch.get_rng_state()
            self._inside = False

        def __torch_function__(self, func, types, args=(), kwargs=None):
            return self.whole(func, args, kwargs or {})

        def whole(self, func, args, kwargs):
            """Make a call and record it."""
            if self._inside:
                return func(*args, **kwargs)
            for tensor in _tensors((args, kwargs)):
                self._keep(tensor)
            without_gradient = _without_gradient(torch, func, args)
            for tensor in without_gradient:
                self._keep(tensor)
            self._inside = True
            try:
                result = func(*args, **kwargs)
            finally:
                self._inside = False
            for tensor in _tensors(result):
                if id(tensor) not in self._given:
                    self._results[id(tensor)] = tensor
            if _is_noted(func):
                state = _State(torch)
                self._made.append((func, args, kwargs, result, state, without_gradient))
            return result

        def _keep(self, tensor):
            key = id(tensor)
            if key not in self._results and key not in self._given:
                copy = tensor.detach().clone()
                self._given[key] = (tensor, copy, tensor._version)

        def put_back(self):
            """Undo changes of the calls to tensors from before the capture."""
            with torch.no_grad():
                for tensor, copy, version in self._given.values():
                    if tensor._version != version:
                        tensor.detach().copy_(copy)
            self._given = {key: (one, None, None) for key, (one, _, _) in self._given.items()}
            torch.set_rng_state(self._random)

        def replay(self):
            """Make the calls again, and write the results into the captured tensors."""
            now = {}
            for func, args, kwargs, result, state, without_gradient in self._made:
                for tensor in without_gradient:
                    tensor.grad = None
                with state.restored():
                    fresh = func(*_replaced(args, now), **_replaced(kwargs, now))
                for old, new in zip(_tensors(result), _tensors(fresh)):
                    if old is not new and id(old) in self._results:
                        now[id(old)] = (old, new)
            with torch.no_grad():
                for old, new in now.values():
                    if old.shape == new.shape:
                        old.detach().copy_(new.detach())

    return Calls()


def _is_noted(func):
    """Whether a replay must repeat a call; of attribute reads, only those that return tensors."""
    name = getattr(func, "__name__", "")
    owner = getattr(func, "__self__", None)
    return name != "__get__" or getattr(owner, "__name__", "") in ("grad", "data", "T", "mT")


def _without_gradient(torch, func, args):
    """Return the parameters without a gradient before a backward pass; a replay clears theirs."""
    if getattr(func, "__name__", "") != "backward" or not args:
        return []
    roots = args[0] if isinstance(args[0], (tuple, list)) else [args[0]]
    waiting = [one.grad_fn for one in roots if one.grad_fn is not None]
    seen, found = set(), []
    while waiting:
        node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        leaf = getattr(node, "variable", None)
        if leaf is not None and leaf.grad is None:
            found.append(leaf)
        waiting += [below for below, _ in node.next_functions if below is not None]
    return found


class _State(object):
    """State that a call depends on besides its arguments: gradient mode and autocast."""

    def __init__(self, torch):
        self._torch = torch
        self._gradients = torch.is_grad_enabled()
        self._autocast = torch.is_autocast_enabled()
        self._dtype = torch.get_autocast_gpu_dtype()

    @contextmanager
    def restored(self):
        torch = self._torch
        with torch.set_grad_enabled(self._gradients):
            if self._autocast == torch.is_autocast_enabled():
                yield
                return
            with torch.autocast("cuda", dtype=self._dtype, enabled=self._autocast):
                yield


def _tensors(value):
    """Yield all tensors of nested tuples, lists and dictionaries."""
    import torch

    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (tuple, list)):
        for one in value:
            for found in _tensors(one):
                yield found
    elif isinstance(value, dict):
        for one in value.values():
            for found in _tensors(one):
                yield found


def _replaced(value, now):
    """Replace captured results in the arguments by those of this replay."""
    import torch

    if isinstance(value, torch.Tensor):
        return now[id(value)][1] if id(value) in now else value
    if isinstance(value, (tuple, list)) and not hasattr(value, "_fields"):
        return type(value)([_replaced(one, now) for one in value])
    if isinstance(value, dict):
        return {name: _replaced(one, now) for name, one in value.items()}
    return value
