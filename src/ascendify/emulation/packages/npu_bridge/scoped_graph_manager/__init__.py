"""The life of graphs."""
