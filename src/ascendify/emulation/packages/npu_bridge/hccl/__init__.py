"""Collectives as operations of the graph."""
