"""The memory of this process, read and written in place at the addresses of objects.

How many bits an address has depends on the processor and on its kernel (47 or 56 on x86_64; 48 or
52 on aarch64, with a tag above them where memory is tagged), so that all of them are covered that
this Python can index: every address of a program, for the upper half is the kernel's.
"""

import ctypes
import sys

words = (ctypes.c_uint64 * (sys.maxsize // 8)).from_address(0)
"""Words of 8 bytes: `words[address >> 3]`."""
pairs = [(ctypes.c_uint16 * (sys.maxsize // 2)).from_address(start) for start in (0, 1)]
"""Pairs of bytes, from even and from odd addresses: `pairs[odd][address >> 1]`."""
