"""Collectives in the graph."""
