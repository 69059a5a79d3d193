"""Profiling of a part of a program."""
