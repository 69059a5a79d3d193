import torch
from torch.utils.data import Dataset


class ColouredNoise(Dataset):
    """Images whose mean colour tells the class."""

    def __init__(self, size, classes=8, side=24, seed=0):
        generator = torch.Generator().manual_seed(seed)
        colours = torch.rand(classes, 3, 1, 1, generator=torch.Generator().manual_seed(99))
        self.labels = torch.arange(size) % classes
        noise = torch.randn(size, 3, side, side, generator=generator)
        self.images = colours[self.labels] + 0.3 * noise

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        image = self.images[index]
        if torch.rand(()) < 0.5:
            image = image.flip(-1)
        return image, self.labels[index]
