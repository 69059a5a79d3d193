#### an optimizer scales
import tensorflow as tf

with tf.GradientTape() as tape:
    scaled = optimizer.get_scaled_loss(loss)
grads = optimizer.get_unscaled_gradients(tape.gradient(scaled, variables))
#### a weight of a loss
import tensorflow as tf

with tf.GradientTape() as tape:
    loss = loss * weight
grads = tape.gradient(loss, variables)
#### a scale that nothing takes back
import tensorflow as tf

with tf.GradientTape() as tape:
    loss = loss * loss_scale
grads = tape.gradient(loss, variables)
#### no tape
import tensorflow as tf

scaled = loss * loss_scale
grads = [g / loss_scale for g in grads]
