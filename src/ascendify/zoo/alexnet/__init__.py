"""AlexNet: the network whose log the AutoAugment guide shows, and how it is trained."""
