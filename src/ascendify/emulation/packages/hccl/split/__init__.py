"""Splitting of gradients for the reduction."""
