"""Random changes of pictures for training: AutoAugment, Cutout, crops and mirror images.

A change is drawn from a table of concrete operations, which is computed once on the CPU. Pillow
applies an operation to a picture, and ``tensors`` to a batch on its device, to the same pixels.
"""
