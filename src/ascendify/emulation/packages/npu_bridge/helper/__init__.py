"""Code that the operator modules share: formulas of the operators and calls of Python functions."""
