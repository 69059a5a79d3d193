"""Programs for servers that have no ascendify: a file each, the standard library, Python 3.6.

``become.py`` turns into one rank of a plan, for engines that start one process a rank by
themselves. ``agent.py`` runs one rank for whoever is at the other end of its standard input, and
stops it when that end goes away.
"""
