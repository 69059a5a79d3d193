"""ResNet: the network of the ResNet-50 guide, in all its depths, and how it is trained."""
