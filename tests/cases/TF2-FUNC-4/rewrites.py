#### a step of tensors
import tensorflow as tf

model = tf.keras.Sequential()
optimizer = tf.keras.optimizers.SGD(0.1)


def train_step(images, labels):
    with tf.GradientTape() as tape:
        loss = loss_fn(labels, model(images, training=True))
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    return loss


for step, (images, labels) in enumerate(dataset):
    loss = train_step(images, labels)
    print(float(loss))
#### after
import tensorflow as tf

model = tf.keras.Sequential()
optimizer = tf.keras.optimizers.SGD(0.1)


@tf.function
def train_step(images, labels):
    with tf.GradientTape() as tape:
        loss = loss_fn(labels, model(images, training=True))
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    return loss


for step, (images, labels) in enumerate(dataset):
    loss = train_step(images, labels)
    print(float(loss))
#### findings
8 auto-check
#### a model that is passed is left to people
import tensorflow as tf


def train_step(model, images):
    with tf.GradientTape() as tape:
        loss = model(images)
    return tape.gradient(loss, model.trainable_variables)


for images in dataset:
    train_step(model, images)
#### findings
5 manual
#### a number of the step
import tensorflow as tf


def train_step(images, step):
    with tf.GradientTape() as tape:
        loss = network(images)
    return tape.gradient(loss, network.trainable_variables)


for step, images in enumerate(dataset):
    train_step(images, step)
#### findings
5 manual
#### it prints
import tensorflow as tf


def train_step(images):
    with tf.GradientTape() as tape:
        loss = network(images)
    print(loss)


for images in dataset:
    train_step(images)
#### findings
5 manual
#### a whole loop
import tensorflow as tf


def train():
    for images in dataset:
        with tf.GradientTape() as tape:
            loss = network(images)
        print(loss.numpy())


train()
#### findings
6 manual
#### at the outermost level
import tensorflow as tf
for images in dataset:
    with tf.GradientTape() as tape:
        loss = network(images)
#### findings
3 manual
