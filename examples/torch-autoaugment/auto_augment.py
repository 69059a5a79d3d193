"""The CIFAR-10 policies of AutoAugment, on PIL images."""
import random

import numpy as np
from PIL import Image, ImageEnhance, ImageOps


class AutoAugment(object):
    def __init__(self):
        self.policies = [
            ['Invert', 0.1, 7, 'Contrast', 0.2, 6],
            ['Rotate', 0.7, 2, 'TranslateX', 0.3, 9],
            ['Sharpness', 0.8, 1, 'Sharpness', 0.9, 3],
            ['ShearY', 0.5, 8, 'TranslateY', 0.7, 9],
            ['AutoContrast', 0.5, 8, 'Equalize', 0.9, 2],
            ['ShearY', 0.2, 7, 'Posterize', 0.3, 7],
            ['Color', 0.4, 3, 'Brightness', 0.6, 7],
            ['Sharpness', 0.3, 9, 'Brightness', 0.7, 9],
            ['Equalize', 0.6, 5, 'Equalize', 0.5, 1],
            ['Contrast', 0.6, 7, 'Sharpness', 0.6, 5],
            ['Color', 0.7, 7, 'TranslateX', 0.5, 8],
            ['Equalize', 0.3, 7, 'AutoContrast', 0.4, 8],
            ['TranslateY', 0.4, 3, 'Sharpness', 0.2, 6],
            ['Brightness', 0.9, 6, 'Color', 0.2, 8],
            ['Solarize', 0.5, 2, 'Invert', 0.0, 3],
            ['Equalize', 0.2, 0, 'AutoContrast', 0.6, 0],
            ['Equalize', 0.2, 8, 'Equalize', 0.6, 4],
            ['Color', 0.9, 9, 'Equalize', 0.6, 6],
            ['AutoContrast', 0.8, 4, 'Solarize', 0.2, 8],
            ['Brightness', 0.1, 3, 'Color', 0.7, 0],
            ['Solarize', 0.4, 5, 'AutoContrast', 0.9, 3],
            ['TranslateY', 0.9, 9, 'TranslateY', 0.7, 9],
            ['AutoContrast', 0.9, 2, 'Solarize', 0.8, 3],
            ['Equalize', 0.8, 8, 'Invert', 0.1, 3],
            ['TranslateY', 0.7, 9, 'AutoContrast', 0.9, 1],
        ]

    def __call__(self, img):
        name1, p1, m1, name2, p2, m2 = random.choice(self.policies)
        if random.random() < p1:
            img = OPERATIONS[name1](img, m1)
        if random.random() < p2:
            img = OPERATIONS[name2](img, m2)
        return img


def signed(value):
    return value if random.random() < 0.5 else -value


def shear_x(img, m):
    return img.transform(img.size, Image.AFFINE, (1, signed(0.3 * m / 9), 0, 0, 1, 0))


def shear_y(img, m):
    return img.transform(img.size, Image.AFFINE, (1, 0, 0, signed(0.3 * m / 9), 1, 0))


def translate_x(img, m):
    return img.transform(
        img.size, Image.AFFINE, (1, 0, signed(150 / 331 * img.size[0] * m / 9), 0, 1, 0))


def translate_y(img, m):
    return img.transform(
        img.size, Image.AFFINE, (1, 0, 0, 0, 1, signed(150 / 331 * img.size[1] * m / 9)))


OPERATIONS = {
    'ShearX': shear_x,
    'ShearY': shear_y,
    'TranslateX': translate_x,
    'TranslateY': translate_y,
    'Rotate': lambda img, m: img.rotate(signed(30 * m / 9)),
    'AutoContrast': lambda img, m: ImageOps.autocontrast(img),
    'Invert': lambda img, m: ImageOps.invert(img),
    'Equalize': lambda img, m: ImageOps.equalize(img),
    'Solarize': lambda img, m: ImageOps.solarize(img, int(256 - 256 * m / 9)),
    'Posterize': lambda img, m: ImageOps.posterize(img, 8 - round(m / (9 / 4))),
    'Contrast': lambda img, m: ImageEnhance.Contrast(img).enhance(1 + signed(0.9 * m / 9)),
    'Color': lambda img, m: ImageEnhance.Color(img).enhance(1 + signed(0.9 * m / 9)),
    'Brightness': lambda img, m: ImageEnhance.Brightness(img).enhance(1 + signed(0.9 * m / 9)),
    'Sharpness': lambda img, m: ImageEnhance.Sharpness(img).enhance(1 + signed(0.9 * m / 9)),
}


class Cutout(object):
    """Sets a square of a normalised image to zero."""

    def __init__(self, length):
        self.length = length

    def __call__(self, array):
        h, w = array.shape[1:]
        y, x = random.randrange(h), random.randrange(w)
        half = self.length // 2
        array = array.copy()
        array[:, max(0, y - half):y + half, max(0, x - half):x + half] = 0.0
        return array


def pad_and_crop(img, padding=2):
    w, h = img.size
    img = ImageOps.expand(img, padding)
    left, top = random.randint(0, 2 * padding), random.randint(0, 2 * padding)
    return img.crop((left, top, left + w, top + h))


def to_array(img, mean=(0.4914, 0.4822, 0.4465), std=(0.2470, 0.2435, 0.2616)):
    array = np.asarray(img, dtype=np.float32) / 255.0
    return ((array - np.float32(mean)) / np.float32(std)).transpose(2, 0, 1)
