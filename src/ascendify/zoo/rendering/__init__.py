"""Rendering: draw words in the style of Synth90k and street signs in the style of FSNS.

This room owns fonts, word lists, backgrounds and the drawing. A picture is a pure function of its
settings and a random generator; ``sets`` decides which numbers belong to which data set.
"""
