"""Unit tests are told apart from scripts that are called so."""

from __future__ import annotations

import pytest

from ascendify.source.test_files import is_test_file

CASE = "import unittest\nclass A(unittest.TestCase):\n    def test_a(self): pass\n"
TENSORFLOW = "import tensorflow as tf\nclass A(tf.test.TestCase):\n    def testA(self): pass\n"
PLAIN = "def test_a():\n    assert 1\n"
PYTEST = f"import pytest\n{PLAIN}"
SCRIPT = "import tensorflow as tf\nmodel.fit(x, epochs=1)\n"


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        pytest.param("test_a.py", CASE, True, id="by-name"),
        pytest.param("a_test.py", TENSORFLOW, True, id="of-tensorflow"),
        pytest.param("pkg/tests/helpers.py", PYTEST, True, id="by-folder"),
        pytest.param("tests/test_a.py", PLAIN, True, id="plain-functions"),
        pytest.param("tests/conftest.py", "", True, id="conftest"),
        pytest.param("test.py", SCRIPT, False, id="script-called-test"),
        pytest.param("test_model.py", SCRIPT, False, id="script-that-tries-a-model"),
        pytest.param("test_model.py", PLAIN, False, id="functions-without-a-library"),
        pytest.param("test/train.py", SCRIPT, False, id="script-in-such-a-folder"),
        pytest.param("train.py", CASE, False, id="script-with-a-test-inside"),
        pytest.param("tests/data.py", SCRIPT, False, id="helper-without-tests"),
    ],
)
def test_is_test_file(path: str, text: str, expected: bool) -> None:
    assert is_test_file(path, text) == expected
