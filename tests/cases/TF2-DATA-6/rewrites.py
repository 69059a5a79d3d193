#### slices for train_on_batch
import tensorflow as tf

model = tf.keras.Sequential()
for i in range(0, len(x), 32):
    model.train_on_batch(x[i:i + 32], y[i:i + 32])
#### after
import tensorflow as tf

model = tf.keras.Sequential()
for i in range(0, len(x) // 32 * 32, 32):
    model.train_on_batch(x[i:i + 32], y[i:i + 32])
#### findings
4 auto
#### slices for a step of the project
import tensorflow as tf


@tf.function
def step(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(model(x))
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))


for epoch in range(3):
    for start in range(0, n_train + n_more, args.batch_size):
        batch = data[start:start + args.batch_size]
        step(batch)
#### after
import tensorflow as tf


@tf.function
def step(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(model(x))
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))


for epoch in range(3):
    for start in range(0, (n_train + n_more) // args.batch_size * args.batch_size, args.batch_size):
        batch = data[start:start + args.batch_size]
        step(batch)
#### findings
12 auto
