"""Port: a whole project made ready for NPUs in one command, and kept up to date.

Composes the rooms below it: migrated code, data-parallel training, one module with all NPU options,
launch scripts, rank tables, a README, and the comparison of original and port on this machine. When
the original changes, the port is updated by a three-way merge that keeps what people edited in it.
This room has no rule of its own: what must change in a file is decided by ``rules``.
"""
