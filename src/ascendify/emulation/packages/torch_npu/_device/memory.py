"""Arrays over the memory of this process, to read and write at the addresses of objects.

The number of bits of an address depends on the processor and the kernel (47 or 56 on x86_64; 48 or
52 on aarch64, with a tag above them for tagged memory). The arrays cover everything that Python can
index, which includes every address of a program: the upper half belongs to the kernel.
"""

import ctypes
import sys

uint64s = (ctypes.c_uint64 * (sys.maxsize // 8)).from_address(0)
"""Numbers of 8 bytes: `uint64s[address >> 3]`."""
pairs = [(ctypes.c_uint16 * (sys.maxsize // 2)).from_address(start) for start in (0, 1)]
"""Pairs of bytes, from even and from odd addresses: `pairs[odd][address >> 1]`."""
