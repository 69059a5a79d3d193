"""torch.compile on the emulated NPU: all backends of torch_npu run eagerly."""

import sys
import warnings

import torch

from . import torchair

BACKENDS = ("npugraphs", "npugraph_ex", "npu")
_warned = set()


def warn_once(name):
    """Warn once that a backend does not compile here."""
    if name not in _warned:
        _warned.add(name)
        warnings.warn(
            "torch.compile(backend=%r): the emulation compiles nothing, the model runs eagerly. "
            "Results are those of the model; speed and the compiler's own limits can be seen on a "
            "real NPU only." % name,
            stacklevel=4,
        )


def _backend(name):
    def compiler(graph_module, example_inputs=None, **options):
        warn_once(name)
        return graph_module.forward

    compiler.__name__ = name
    return compiler


def install():
    """Register the backends at the first use of torch.compile; dynamo is slow to import."""
    sys.modules.setdefault("torchair", torchair)  # scripts import it under this name
    stock = torch.compile

    def compile(model=None, *, backend="inductor", **named):
        if isinstance(backend, str) and backend in (*BACKENDS, "inductor"):
            backend = _backend(backend)
            named.pop("mode", None)
            named.pop("options", None)
        if model is None:
            return lambda function: stock(function, backend=backend, **named)
        return stock(model, backend=backend, **named)

    compile.__doc__ = stock.__doc__
    torch.compile = compile
