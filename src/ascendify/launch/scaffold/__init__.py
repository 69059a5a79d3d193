"""Launch scripts for a migrated project, in the layout of the reference guides.

The scripts are written to ``test/`` of the project, rank tables to ``configs/``. They do not need
ascendify: where it is not installed they run with bash and awk. What differs between projects is in
one file, ``settings.sh``; the others are the same everywhere.
"""
