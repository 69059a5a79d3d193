"""The module torch_npu keeps DropoutWithByteMask in."""

from .dropout import DropoutWithByteMask

__all__ = ["DropoutWithByteMask"]
