"""Pictures of text, drawn: words in the style of Synth90k, street signs in the style of FSNS.

This room owns fonts, word lists, backgrounds and the drawing. A picture is a pure function of its
settings and a random generator; which numbers go into which data set is the business of ``sets``.
"""
