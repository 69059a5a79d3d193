"""Refuse a torch that is too old for the emulation, and name the nearest release that works.

An installed real ``torch_npu`` is no error: this package comes before it on the search path only if
the user has requested the emulation, and without an NPU the real one cannot be imported.
"""

from ascendify_runtime import tried


def check_torch(version):
    """Raise if torch is older than all tried releases; warn if it was not tried.

    A newer release is not refused: the emulation tests its assumptions at import.
    """
    oldest = tried.oldest("torch")
    if tried.numbers(version) < tried.numbers(oldest):
        raise ImportError(
            "ascendify: an emulated NPU is not possible with torch %s; the nearest release that "
            'supports it is torch %s (for example: pip install "torch==%s"), or run on a real NPU.'
            % (version, tried.line_of(oldest), oldest)
        )
    tried.warn_if_untried(
        "torch",
        "torch",
        version,
        "Its assumptions are tested now, at import; if the tests pass, the emulation continues.",
    )
