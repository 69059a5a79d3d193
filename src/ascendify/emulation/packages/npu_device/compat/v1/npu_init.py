"""The module that migrated programs in the style of TensorFlow 1 import under TensorFlow 2.

It has the names of `npu_bridge.npu_init` without the loss scale optimizers of TensorFlow 1.
"""

from npu_bridge import npu_init as _session_names

_MISSING = ("ExponentialUpdateLossScaleManager", "FixedLossScaleManager", "NPULossScaleOptimizer")

globals().update(
    {
        name: value
        for name, value in vars(_session_names).items()
        if not name.startswith("_") and name not in _MISSING
    }
)
