"""Operators that run on the device's own CPU."""
