import numpy as np

LENGTH = 24


def signals(count=512):
    """Sine waves with noise."""
    rng = np.random.RandomState(3)
    time = np.arange(LENGTH) / LENGTH
    waves = np.sin(2 * np.pi * (time * rng.randint(1, 4, (count, 1)) + rng.rand(count, 1)))
    return (waves + 0.1 * rng.randn(count, LENGTH)).astype("float32")
