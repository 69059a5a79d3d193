"""What the operator modules share: the formulas behind the operators and the calls to the host."""
