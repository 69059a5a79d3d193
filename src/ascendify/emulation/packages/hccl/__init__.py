"""Stand-in for the Python interface of HCCL: ranks, groups, gradient splits."""
