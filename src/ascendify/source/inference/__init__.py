"""What names and expressions are: followed through assignments, attributes, calls and files.

``resolver`` takes the questions and remembers the answers; the other modules find one each: for a
kind of expression, a name, a call, a parameter, the callers of a function. They ask the resolver
for what they need in turn, so that every answer is found once and a circle is noticed.
"""
