"""ascendify: take a GPU training project to Ascend NPUs, every change explained."""

__version__ = "0.1.0"
