"""Replace functions of TensorFlow by those of the device, for the releases the device knows."""

import tensorflow as tf

from npu_device.train.convert_dropout import dropout_api_convert

_LARGEST = 999
DROPOUT = "2.6.2~2.6.*"
"""The releases whose dropout the adapter replaces."""


def parse_star_ver(ver=str):
    """Return the smallest and the largest version of a text such as ``2.6.*``."""
    parts = ver.split(".")
    low = [0 if part == "*" else int(part) for part in parts]
    high = [_LARGEST if part == "*" else int(part) for part in parts]
    return low, high


def parse_range_version(ver=str):
    """Return the smallest and the largest version of a text such as ``2.6.2~2.6.*``."""
    first, last = ver.split("~")
    return parse_star_ver(first)[0], parse_star_ver(last)[1]


def parse_version(ver=str):
    """Return the numbers of one version, twice."""
    numbers = [int(part) for part in ver.split(".")]
    return numbers, numbers


def check_version_format(version=str):
    """Raise ValueError for a text that is no version and no range of versions."""
    for one in version.split("~"):
        if not all(part == "*" or part.isdigit() for part in one.split(".")):
            raise ValueError("version format error: {}".format(version))


def parse_version_range(version=str):
    """Return the smallest and the largest version of any such text."""
    check_version_format(version)
    if "~" in version:
        return parse_range_version(version)
    return parse_star_ver(version) if "*" in version else parse_version(version)


def verify_version():
    """Return the numbers of the installed TensorFlow."""
    return [int(part) for part in tf.__version__.split("-")[0].split("rc")[0].split(".")[:3]]


def judge_version_support(version_list=list):
    """Whether the installed TensorFlow is in one of these ranges."""
    installed = verify_version()
    ranges = [parse_version_range(version) for version in version_list]
    return any(low <= installed <= high for low, high in ranges)


def api_func_convert(wrapfunc, **kwargs):
    """Call a function that replaces APIs, if the installed TensorFlow is supported."""
    if judge_version_support(kwargs.get("version", [])):
        wrapfunc()


def npu_convert_api():
    """Replace all functions that the device has its own version of."""
    api_func_convert(dropout_api_convert, version=[DROPOUT])
