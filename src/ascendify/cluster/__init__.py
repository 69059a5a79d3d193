"""Cluster: servers and devices, rank tables, environment variables, error codes, the doctor.

This room describes and checks what a job runs on: inventories, every published rank table
template, and which devices can train together on which hardware. It starts no ranks and prints
nothing.
"""
