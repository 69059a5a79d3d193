import numpy as np


def load_signals(num_samples, length=64, seed=0):
    '''Noisy sine, square and saw waves of random frequency; the class is the wave form.'''
    rng = np.random.RandomState(seed)
    label = rng.randint(0, 3, num_samples)
    freq = rng.uniform(1, 4, (num_samples, 1))
    phase = (np.linspace(0, 1, length)[None, :] * freq + rng.rand(num_samples, 1)) % 1.0
    waves = np.stack([np.sin(2 * np.pi * phase), np.sign(phase - 0.5), 2 * phase - 1], axis=0)
    x = waves[label, np.arange(num_samples)] + rng.normal(0, 0.3, (num_samples, length))
    return x[..., None].astype('float32'), label.astype('int32')
