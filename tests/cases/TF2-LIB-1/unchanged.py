#### made of TensorFlow's operators
import tensorflow as tf
import tensorflow_addons as tfa

opt = tfa.optimizers.AdamW(weight_decay=1e-4, learning_rate=1e-3)
lamb = tfa.optimizers.LAMB(1e-3)
norm = tfa.layers.GroupNormalization()
loss = tfa.losses.SigmoidFocalCrossEntropy()
score = tfa.metrics.F1Score(10)
image = tfa.image.rotate(image, 0.1)
