"""Train an autoencoder with a loop of its own: GradientTape, tf.function, checkpoints."""
from absl import app, flags
import tensorflow as tf

import data
from model import Autoencoder

flags.DEFINE_integer("steps", 60, "training steps")
flags.DEFINE_integer("batch_size", 32, "samples of a step")
flags.DEFINE_float("learning_rate", 1e-3, "learning rate")
flags.DEFINE_string("model_dir", "checkpoints", "folder of checkpoints")
FLAGS = flags.FLAGS


def main(_):
    gpus = tf.config.experimental.list_physical_devices("GPU")
    if gpus:
        tf.config.experimental.set_memory_growth(gpus[0], True)
    tf.random.set_seed(7)

    dataset = tf.data.Dataset.from_tensor_slices(data.signals())
    dataset = dataset.shuffle(256, seed=7).repeat().batch(FLAGS.batch_size)
    model = Autoencoder(width=data.LENGTH)
    optimizer = tf.keras.optimizers.Adam(FLAGS.learning_rate)
    mean_loss = tf.keras.metrics.Mean()

    @tf.function(jit_compile=True)
    def reconstruction_loss(batch, rebuilt):
        return tf.reduce_mean(tf.square(batch - rebuilt))

    @tf.function
    def train_step(batch):
        with tf.GradientTape() as tape:
            loss = reconstruction_loss(batch, model(batch, training=True))
        gradients = tape.gradient(loss, model.trainable_variables)
        gradients, _ = tf.clip_by_global_norm(gradients, 5.0)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        mean_loss.update_state(loss)
        return loss

    checkpoint = tf.train.Checkpoint(model=model)
    manager = tf.train.CheckpointManager(checkpoint, FLAGS.model_dir, max_to_keep=1)
    for step, batch in enumerate(dataset.take(FLAGS.steps), 1):
        with tf.device("/GPU:0"):
            train_step(batch)
        if step % 20 == 0:
            print("step %d: loss %.5f" % (step, mean_loss.result().numpy()))
            mean_loss.reset_state()
    manager.save()


if __name__ == "__main__":
    app.run(main)
