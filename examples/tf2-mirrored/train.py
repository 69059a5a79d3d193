"""Train on all GPUs of a machine with tf.distribute and a loop of its own."""
import numpy as np
import tensorflow as tf
from absl import app, flags

from model import create_model

FLAGS = flags.FLAGS
flags.DEFINE_integer('batch_size', 64, 'global batch size')
flags.DEFINE_integer('steps', 30, 'training steps')
flags.DEFINE_float('lr', 0.05, 'learning rate')
flags.DEFINE_string('model_dir', 'checkpoints', 'where checkpoints are written')

FEATURES, CLASSES = 16, 4


def make_data(count=1024):
    rng = np.random.RandomState(0)
    centers = rng.normal(0, 2, (CLASSES, FEATURES))
    labels = rng.randint(0, CLASSES, count)
    return (centers[labels] + rng.normal(0, 1, (count, FEATURES))).astype('float32'), labels


def main(_):
    tf.random.set_seed(1)
    strategy = tf.distribute.MirroredStrategy()
    print('Number of devices: {}'.format(strategy.num_replicas_in_sync))

    features, labels = make_data()
    dataset = tf.data.Dataset.from_tensor_slices((features, labels))
    dataset = dataset.repeat().batch(FLAGS.batch_size)
    dist_dataset = strategy.experimental_distribute_dataset(dataset)

    with strategy.scope():
        model = create_model(FEATURES, CLASSES)
        optimizer = tf.keras.optimizers.SGD(FLAGS.lr, momentum=0.9)
        loss_object = tf.keras.losses.SparseCategoricalCrossentropy(
            from_logits=True, reduction=tf.keras.losses.Reduction.NONE)
        accuracy = tf.keras.metrics.SparseCategoricalAccuracy(name='accuracy')
        checkpoint = tf.train.Checkpoint(optimizer=optimizer, model=model)

    def compute_loss(labels, predictions):
        per_example_loss = loss_object(labels, predictions)
        return tf.nn.compute_average_loss(per_example_loss, global_batch_size=FLAGS.batch_size)

    def train_step(inputs):
        x, y = inputs
        with tf.GradientTape() as tape:
            predictions = model(x, training=True)
            loss = compute_loss(y, predictions)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        accuracy.update_state(y, predictions)
        return loss

    @tf.function
    def distributed_train_step(inputs):
        per_replica_losses = strategy.run(train_step, args=(inputs,))
        return strategy.reduce(tf.distribute.ReduceOp.SUM, per_replica_losses, axis=None)

    iterator = iter(dist_dataset)
    for step in range(FLAGS.steps):
        loss = distributed_train_step(next(iterator))
        if step % 5 == 0 or step == FLAGS.steps - 1:
            print('step %d loss %.5f accuracy %.3f' % (step, loss, accuracy.result()))
            accuracy.reset_state()
    checkpoint.save(FLAGS.model_dir + '/ckpt')


if __name__ == '__main__':
    app.run(main)
