"""What a program says: its text, its tree, its names and its values.

This room reads Python source and answers questions about it: where an expression stands, which
dotted name a spelling refers to, what kind of thing a variable holds. It edits text, byte for byte
outside the edits. It knows no framework: what ``tf.data.Dataset.map`` returns comes to it through
:class:`~ascendify.source.values.Knowledge`. It imports nothing else of ascendify.
"""
