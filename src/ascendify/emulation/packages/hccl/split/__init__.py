"""How gradients are cut for the reduction."""
