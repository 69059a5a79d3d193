"""Zoo: reference networks that train on a CPU, CUDA and an NPU, and the data they train on.

This room owns the networks, their training and their data. It does not know how projects are
migrated, nor how ranks are started: ``launch`` does that, for these networks as for any script.
"""
