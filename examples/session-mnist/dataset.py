"""MNIST-like digits drawn on the fly, so there is nothing to download."""
import numpy as np

# one octal number per row of a 3x5 glyph
GLYPHS = ['75557', '26227', '71747', '71717', '55711',
          '74717', '74757', '71222', '75757', '75717']


def _draw(digit, rng):
    rows = [[int(bit) for bit in format(int(row), '03b')] for row in GLYPHS[digit]]
    glyph = np.kron(np.array(rows), np.ones((4, 4)))  # 20 x 12
    image = rng.normal(0.0, 0.2, (28, 28))
    top, left = rng.randint(0, 8), rng.randint(0, 16)
    image[top:top + 20, left:left + 12] += glyph
    return image.reshape(784)


class DataSet(object):
    def __init__(self, size, seed):
        self._rng = np.random.RandomState(seed)
        self.labels = self._rng.randint(0, 10, size)
        self.images = np.array([_draw(d, self._rng) for d in self.labels], np.float32)

    def next_batch(self, batch_size):
        pick = self._rng.choice(len(self.labels), batch_size, replace=False)
        return self.images[pick], self.labels[pick]


def read_data_sets():
    return DataSet(2000, seed=1), DataSet(500, seed=2)
