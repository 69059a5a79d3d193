"""Stand-in for keras.datasets.cifar10: coloured shapes, ten classes, same layout."""
import numpy as np


def _one(label, rng):
    img = rng.randint(0, 90, (32, 32, 3))
    r, c = rng.randint(10, 22, 2)
    yy, xx = np.mgrid[:32, :32]
    dy, dx = abs(yy - r), abs(xx - c)
    masks = [dy ** 2 + dx ** 2 < 64, (dy < 7) & (dx < 7), dy + dx < 9, dy < 3, dx < 3]
    img[masks[label % 5], label // 5] += 150
    return img


def load_data(num_train=1000, num_test=250):
    rng = np.random.RandomState(0)
    y = rng.randint(0, 10, num_train + num_test)
    x = np.stack([_one(label, rng) for label in y]).astype('uint8')
    return (x[:num_train], y[:num_train]), (x[num_train:], y[num_train:])


def flipped_batches(x, y, batch_size):
    """Endless random batches, half of them mirrored."""
    rng = np.random.RandomState(1)
    while True:
        pick = rng.choice(len(x), batch_size, replace=False)
        batch = x[pick]
        yield (batch[:, :, ::-1] if rng.rand() < 0.5 else batch), y[pick]
