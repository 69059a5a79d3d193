"""Bench: the zoo's networks beside plain ones, in one run on one device."""
