"""Bench: compare the speed of the zoo's networks with plain ones on one device."""
