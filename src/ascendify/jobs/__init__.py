"""Jobs: one training with all its ranks, on real devices or emulated ones.

This room decides where each rank of a job runs and which environment variables it gets, runs the
ranks until they have exited, and finds the rank that failed first. ``launch``, ``run`` and
``verify`` use it. Starting and stopping processes belongs to :mod:`ascendify.processes`, the
content of rank tables to :mod:`ascendify.cluster`; nothing is printed here.
"""
