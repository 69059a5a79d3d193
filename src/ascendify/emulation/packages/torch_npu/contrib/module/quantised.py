"""Quantised layers: they exist by name and are not emulated."""


def _refused(name):
    class Refused:
        """A layer for inference with integers, which needs operators of a real NPU."""

        def __init__(self, *arguments, **named):
            raise NotImplementedError(
                "torch_npu.contrib.module.%s is not emulated: its integer operators exist on a "
                "real NPU only. Use the layer that was quantised for this run." % name
            )

    Refused.__name__ = Refused.__qualname__ = name
    return Refused


LinearA8W8Quant = _refused("LinearA8W8Quant")
LinearQuant = _refused("LinearQuant")
LinearWeightQuant = _refused("LinearWeightQuant")
QuantConv2d = _refused("QuantConv2d")
