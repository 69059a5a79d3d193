"""Functions that may change between releases."""
