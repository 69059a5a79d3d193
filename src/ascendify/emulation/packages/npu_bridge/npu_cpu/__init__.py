"""Operators of the CPU on the device."""
