"""Verify: run a project and its migration on this machine and compare the numbers they train with.

This room owns running both sides, reading what was captured and judging it; it knows nothing of
how a migration is made, and prints nothing.
"""

from __future__ import annotations

from ascendify.verify.judge import Verdict
from ascendify.verify.request import VerifyRequest
from ascendify.verify.session import verify

__all__ = ["Verdict", "VerifyRequest", "verify"]
