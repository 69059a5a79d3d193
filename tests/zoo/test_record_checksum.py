"""CRC-32C: known values, and two implementations that agree."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascendify.zoo.records.checksum import crc32c, masked_crc32c, table_crc32c


@pytest.mark.parametrize("checksum", [crc32c, table_crc32c])
@pytest.mark.parametrize(
    ("data", "expected"),
    [
        pytest.param(b"", 0, id="nothing"),
        pytest.param(b"123456789", 0xE3069283, id="check-value"),
        # RFC 3720, B.4
        pytest.param(bytes(32), 0x8A9136AA, id="zeros"),
        pytest.param(b"\xff" * 32, 0x62A8AB43, id="ones"),
        pytest.param(bytes(range(32)), 0x46DD794E, id="up"),
        pytest.param(bytes(range(31, -1, -1)), 0x113FDB5C, id="down"),
    ],
)
def test_known_values(checksum: object, data: bytes, expected: int) -> None:
    assert callable(checksum)
    assert checksum(data) == expected


def test_the_mask_is_tensorflows() -> None:
    # ((crc >> 15) | (crc << 17)) + 0xa282ead8, by hand for 0xe3069283
    assert masked_crc32c(b"123456789") == (0x2507C60D + 0xA282EAD8) & 0xFFFFFFFF
    assert masked_crc32c(b"") == 0xA282EAD8


@given(st.binary(max_size=300))
def test_the_table_agrees_with_the_fast_one(data: bytes) -> None:
    assert table_crc32c(data) == crc32c(data)


def test_without_google_crc32c_the_table_is_used() -> None:
    program = (
        "import sys; sys.modules['google_crc32c'] = None\n"
        "from ascendify.zoo.records import checksum\n"
        "assert checksum.crc32c is checksum.table_crc32c"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=300)
