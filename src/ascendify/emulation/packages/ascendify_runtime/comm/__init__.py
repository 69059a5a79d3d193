"""Collectives between the processes of one machine: what HCCL does between devices.

Nothing here knows TensorFlow. ``address`` finds rank 0 and ``identity`` who this process is,
``coordinator`` listens in rank 0 and lets ``matching`` bring the calls of the ranks together,
``link`` is a rank's end of the line, ``segments`` and ``packing`` move arrays through shared
memory, ``reductions`` adds them up.
"""
