"""Text: the characters networks read, how their outputs become strings, how right those are.

This room knows classes, strings and counts. It does not know networks or pictures.
"""
