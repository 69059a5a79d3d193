#### nobody calls the step
import tensorflow as tf
def step(model, x, y):
    with tf.GradientTape() as tape:
        loss = loss_fn(y, model(x))
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
#### with distributed=tf_strategy
#### findings
5 manual
#### on one device
import tensorflow as tf
model = tf.keras.applications.ResNet50(weights=None)
model.fit(dataset)
#### broadcast already
import tensorflow as tf
import npu_device as npu
model = tf.keras.applications.ResNet50(weights=None)
npu.distribute.broadcast(model.trainable_variables, root_rank=0)
model.fit(dataset)
#### with distributed=tf_strategy
#### broadcast already, a list of variables
import tensorflow as tf
import npu_device as npu
model = tf.keras.applications.ResNet50(weights=None)
variables = model.trainable_variables + other.trainable_variables
npu.distribute.broadcast(variables)
model.fit(dataset)
#### with distributed=tf_strategy
#### evaluation
import tensorflow as tf
model = tf.keras.models.load_model('model.h5')
model.evaluate(dataset)
#### with distributed=tf_strategy
#### Horovod broadcasts itself
import tensorflow as tf
model = tf.keras.applications.ResNet50(weights=None)
model.fit(dataset)
#### with distributed=horovod
#### a scaler is fitted
import tensorflow as tf
from sklearn.preprocessing import StandardScaler
scaler = StandardScaler()
scaler.fit(x)
#### with distributed=tf_strategy
#### a model that is not built, and steps in a traced loop
import tensorflow as tf
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
@tf.function
def train(dataset):
    for x, y in dataset:
        with tf.GradientTape() as tape:
            loss = loss_fn(y, model(x))
        grads = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(grads, model.trainable_variables))
train(dataset)
#### with distributed=tf_strategy
#### findings
8 manual
#### variables that only the step knows
import tensorflow as tf


def step(x, variables):
    with tf.GradientTape() as tape:
        loss = compute(x, variables)
    gradients = tape.gradient(loss, variables)
    optimizer.apply_gradients(zip(gradients, variables))


for x in dataset:
    step(x, make())
#### with distributed=tf_strategy
#### findings
7 manual
#### gradients for an input
import tensorflow as tf

image = tf.Variable(1.0)
for x in dataset:
    with tf.GradientTape() as tape:
        loss = compute(x, image)
    image.assign_sub(tape.gradient(loss, image))
#### with distributed=tf_strategy
