"""Stand-ins for the NPU's Python packages that run on a CPU, inside the user's interpreter.

The stand-ins are in ``packages``, ``startup`` and ``horovod``; they import nothing of ascendify's
other rooms. The modules of this folder set the environment of the user's interpreter, and read the
findings and counts that the stand-ins write.
"""
