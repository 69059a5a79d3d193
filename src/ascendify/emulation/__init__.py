"""Stand-ins for the NPU's Python packages that run on a CPU, inside the user's interpreter.

The stand-ins are in ``packages`` and ``startup``; they import nothing of ours. The modules here say
what such an interpreter finds in its environment, and read what the stand-ins wrote.
"""
