"""Activations; ``npu_unary_ops.npu_unary_ops`` is the handle of the operator library."""

from npu_bridge.helper import helper

npu_unary_ops = helper.get_gen_ops()
