"""Where values come from and where they go, statement by statement and file by file.

Inference says what an expression *is*; this package follows one value: ``backward`` to what a name
may hold, ``forward`` to the places the value reaches, and ``fate`` to what finally becomes of it.
The walks know Python and no framework: who uses one says which calls pass a value on, which only
look at it, and which end the walk. What cannot be followed is reported as such, never guessed.
"""
