"""Programs of a project: which files can be started, what each does, and which of them trains.

A program is judged by the code that it reaches when it is started, through the project's own
functions, classes and modules; its name decides only between equals. This room reads parsed files
and knows frameworks by the names of their calls. It writes nothing and starts nothing.
"""
