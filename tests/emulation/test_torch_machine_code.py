"""Functions of machine code that torch before 2.10 calls: what they are made of, what they return.

No PyTorch is needed; the instructions are those that a disassembler prints back as the comment.
"""

from __future__ import annotations

import ctypes
import platform
from importlib import util
from types import ModuleType

import pytest

from ascendify.emulation.paths import PACKAGES

ENCODINGS = {
    # mov eax, 0x14; xor edx, edx; ret
    "x86_64-20": ("x86_64", 20, "b8 14 00 00 00 31 d2 c3"),
    # mov eax, 0x1; xor edx, edx; ret
    "x86_64-1": ("x86_64", 1, "b8 01 00 00 00 31 d2 c3"),
    # mov w0, #0x14; mov x1, #0x0; ret
    "aarch64-20": ("aarch64", 20, "80 02 80 52 01 00 80 d2 c0 03 5f d6"),
    # mov w0, #0x1; mov x1, #0x0; ret
    "aarch64-1": ("aarch64", 1, "20 00 80 52 01 00 80 d2 c0 03 5f d6"),
    # mov w0, #0xffff; mov x1, #0x0; ret
    "aarch64-65535": ("aarch64", 65535, "e0 ff 9f 52 01 00 80 d2 c0 03 5f d6"),
}

needs_such_a_machine = pytest.mark.skipif(
    platform.machine() not in ("x86_64", "aarch64") or platform.system() != "Linux",
    reason="the instructions are for x86_64 and aarch64 under Linux",
)


@pytest.fixture
def machine_code() -> ModuleType:
    path = PACKAGES / "torch_npu" / "_device" / "machine_code.py"
    spec = util.spec_from_file_location("machine_code", path)
    assert spec is not None and spec.loader is not None
    module = util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("machine", "number", "expected"), ENCODINGS.values(), ids=ENCODINGS.keys()
)
def test_instructions(machine_code: ModuleType, machine: str, number: int, expected: str) -> None:
    assert machine_code.INSTRUCTIONS[machine](number) == bytes.fromhex(expected)


@needs_such_a_machine
@pytest.mark.parametrize("number", [1, 20, 65535])
def test_a_function_returns_its_number(machine_code: ModuleType, number: int) -> None:
    address = machine_code.function_returning(number)
    assert ctypes.CFUNCTYPE(ctypes.c_int64)(address)() == number


@needs_such_a_machine
def test_functions_do_not_share_memory(machine_code: ModuleType) -> None:
    first, second = (machine_code.function_returning(number) for number in (20, 1))
    assert [ctypes.CFUNCTYPE(ctypes.c_int)(one)() for one in (first, second)] == [20, 1]


def test_another_processor_is_named(
    machine_code: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "riscv64")
    with pytest.raises(ValueError, match="only x86_64 and aarch64 are known, this is riscv64"):
        machine_code.function_returning(1)


@needs_such_a_machine
def test_instructions_that_do_something_else_are_refused(
    machine_code: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    of_this_machine = machine_code.INSTRUCTIONS[platform.machine()]
    wrong = {platform.machine(): lambda number: of_this_machine(number + 1)}
    monkeypatch.setattr(machine_code, "INSTRUCTIONS", wrong)
    with pytest.raises(ValueError, match="should return 20 returned 21"):
        machine_code.function_returning(20)
