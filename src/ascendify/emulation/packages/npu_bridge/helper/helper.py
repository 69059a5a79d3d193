"""The handle of the operator library, here a table of the formulas."""

from npu_bridge.helper import formulas

version = "v1.15.0"


class _OperatorLibrary:
    """Operators by their generated names, as ``tf.load_op_library`` would give them."""

    def __init__(self, operators):
        self.__dict__.update(operators)

    def __getattr__(self, name):
        raise AttributeError("the emulated operator library has no operator %r" % name)


_LIBRARY = _OperatorLibrary(
    {
        "gelu": formulas.gelu,
        "fast_gelu": formulas.fast_gelu,
        "fast_gelu_v2": formulas.fast_gelu_v2,
        "p_relu": formulas.prelu,
        "centralization": formulas.centralization,
        "fused_layer_norm": formulas.layer_norm,
        "non_zero": formulas.nonzero,
        "scatter_elements": formulas.scatter_elements,
    }
)


def get_gen_ops():
    """The operator library."""
    return _LIBRARY
