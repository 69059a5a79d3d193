#### compiled operators
import tensorflow as tf
import tensorflow_addons as tfa

cost = tfa.layers.CorrelationCost(1, 4, 1, 1, 4, "channels_last")
y = tfa.activations.mish(x)
z = tfa.image.resampler(x, warp)
#### findings
4 manual
5 manual
6 manual
