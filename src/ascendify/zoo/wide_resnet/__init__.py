"""WideResNet: the network of the AutoAugment guide, and how it is trained."""
