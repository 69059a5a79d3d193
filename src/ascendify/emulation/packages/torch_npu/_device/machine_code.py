"""C functions that return a number, written as machine code, to be called from C++ code.

A ctypes callback would do for most of them, but cannot return a structure in two registers.
"""

import ctypes
import mmap
import platform


def _x86_64(number):
    # mov eax, number; xor edx, edx; ret
    return b"\xb8" + number.to_bytes(4, "little") + b"\x31\xd2\xc3"


def _aarch64(number):
    # mov w0, number; mov x1, 0; ret
    return (0x52800000 | number << 5).to_bytes(4, "little") + b"\x01\x00\x80\xd2\xc0\x03\x5f\xd6"


INSTRUCTIONS = {"x86_64": _x86_64, "aarch64": _aarch64}
"""By processor: the instructions that return a number below 65536 and, in a second register, 0."""
_kept = []


class _TwoRegisters(ctypes.Structure):
    """A result in two registers."""

    _fields_ = (("first", ctypes.c_int32), ("second", ctypes.c_int64))


def function_returning(number):
    """Make the function, call it once as a test, and return its address.

    Raises:
        ValueError: there are no instructions for this processor, or they return another number.
        OSError: the system does not allow executable memory.
    """
    machine = platform.machine()
    if machine not in INSTRUCTIONS:
        raise ValueError(f"only {' and '.join(INSTRUCTIONS)} are known, this is {machine}")
    code = INSTRUCTIONS[machine](number)
    memory = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    memory.write(code)
    _kept.append(memory)
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    if machine == "aarch64":
        # the processor has a separate instruction cache, which must be flushed after writing
        ctypes.CDLL("libgcc_s.so.1").__clear_cache(
            ctypes.c_void_p(address), ctypes.c_void_p(address + len(code))
        )
    found = ctypes.CFUNCTYPE(_TwoRegisters)(address)()
    if (found.first, found.second) != (number, 0):
        raise ValueError(f"a function that should return {number} returned {found.first}")
    return address
