"""Launching: the ranks of a job on one device, on eight, or on many servers.

This room turns the user's options into a job and has an engine start its ranks: on this machine, by
ssh, or by a scheduler. What a job is and how its ranks are watched belongs to
:mod:`ascendify.jobs`; nothing is printed here.
"""
