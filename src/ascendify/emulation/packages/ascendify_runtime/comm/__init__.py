"""Collectives between the processes of one machine: what HCCL does between devices.

Nothing here depends on TensorFlow. ``address`` finds rank 0, and ``identity`` the rank of this
process. ``coordinator`` is the server in rank 0, which matches the calls of the ranks with
``matching``; ``link`` is the connection of a rank to it. ``segments`` and ``packing`` move arrays
through shared memory, ``reductions`` adds them up.
"""
