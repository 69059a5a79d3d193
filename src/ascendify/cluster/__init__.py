"""The cluster: servers and devices, the rank tables that describe them, the rules they keep.

This room owns what a job runs on: inventories, every published rank table template, and which
devices work together on which hardware. It must not know how a rank is started, nor print.
"""
