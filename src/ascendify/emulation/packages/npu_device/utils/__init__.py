"""Scopes, and operators that Keras models can contain."""
