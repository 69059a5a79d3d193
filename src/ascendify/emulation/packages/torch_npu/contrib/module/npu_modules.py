"""The module of DropoutWithByteMask in torch_npu."""

from .dropout import DropoutWithByteMask

__all__ = ["DropoutWithByteMask"]
