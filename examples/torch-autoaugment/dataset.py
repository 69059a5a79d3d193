import random

import numpy as np
import torch
from PIL import Image, ImageDraw, ImageOps
from torch.utils.data import Dataset

import auto_augment

SHAPES = ['ellipse', 'rectangle', 'line', 'pieslice', 'arc']
COLOURS = ['#c03030', '#3050c0']


class Drawings(Dataset):
    """Ten classes: five shapes in two colours, drawn at random places."""

    def __init__(self, size, train, augment=False, cutout=False, seed=0):
        self.train = train
        self.augment = auto_augment.AutoAugment() if augment else None
        self.cutout = auto_augment.Cutout(6) if cutout else None
        rng = np.random.RandomState(seed)
        self.labels = [i % 10 for i in range(size)]
        self.images = [self.draw(label, rng) for label in self.labels]

    @staticmethod
    def draw(label, rng, side=16):
        image = Image.fromarray(rng.randint(0, 90, (side, side, 3)).astype(np.uint8))
        x, y = rng.randint(0, side // 2, 2)
        box = (int(x), int(y), int(x) + side // 2, int(y) + side // 2)
        draw = ImageDraw.Draw(image)
        extra = {'pieslice': (0, 140), 'arc': (0, 300)}.get(SHAPES[label % 5], ())
        getattr(draw, SHAPES[label % 5])(box, *extra, fill=COLOURS[label // 5])
        return image

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        image = self.images[index]
        if self.train:
            image = auto_augment.pad_and_crop(image)
            if random.random() < 0.5:
                image = ImageOps.mirror(image)
            if self.augment is not None:
                image = self.augment(image)
        array = auto_augment.to_array(image)
        if self.train and self.cutout is not None:
            array = self.cutout(array)
        return torch.from_numpy(np.ascontiguousarray(array)), self.labels[index]
