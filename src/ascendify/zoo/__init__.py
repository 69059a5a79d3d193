"""Zoo: reference networks that train on a CPU, CUDA and an NPU, and the data they train on.

This room owns the networks, their training and their data. It migrates no projects and starts no
ranks: ``launch`` starts them, for these networks as for any script.
"""
