"""Training: the loop that is the same for every network, and the parts it is made of.

This room owns steps, their order, rates and scales, and what is kept of a run. It knows a network
only as a recipe.
"""
