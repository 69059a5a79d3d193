"""Helper modules that rewritten calls use; ``migrate`` adds them to the user's project."""

from __future__ import annotations

CTC = "npu_ctc"
"""Labels of a fixed size for the CTC loss, and decoding on the host."""
TEXT = "npu_text"
"""Comparisons of strings, such as a training phase, without a string on the device."""
LSTM = "npu_lstm"
"""Recurrent networks with the NPU's DynamicRNN operator."""
DDP = "npu_ddp"
"""Training on several NPUs with PyTorch: a process for each, which changes nothing for one."""
CALLBACKS = "npu_callbacks"
"""Learning rates and metrics of Keras on several NPUs, as Horovod's callbacks have them."""
HELPERS = (CTC, TEXT, LSTM, DDP, CALLBACKS)
