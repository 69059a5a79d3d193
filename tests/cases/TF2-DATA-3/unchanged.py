#### cut already
import numpy as np
import tensorflow as tf

x = np.random.rand(1000, 4)
y = np.random.rand(1000)
n = len(x) // 64 * 64
x, y = x[:n], y[:n]
model = tf.keras.Sequential([tf.keras.layers.Dense(10)])
model.fit(x, y, batch_size=64)
#### a dataset
import tensorflow as tf

ds = tf.data.Dataset.range(10).batch(2, drop_remainder=True)
model = tf.keras.Sequential([tf.keras.layers.Dense(10)])
model.fit(ds, epochs=3)
#### something that may be a dataset
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.layers.Dense(10)])
model.fit(train_data, epochs=3)
#### a generator with steps
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.layers.Dense(10)])
model.fit(generator, steps_per_epoch=100)
#### batches of one
import numpy as np
import tensorflow as tf

x = np.random.rand(1000, 4)
y = np.random.rand(1000)
model = tf.keras.Sequential([tf.keras.layers.Dense(10)])
model.fit(x, y, batch_size=1)
#### evaluation and prediction keep every sample
import numpy as np
import tensorflow as tf

x = np.random.rand(1000, 4)
y = np.random.rand(1000)
model = tf.keras.Sequential([tf.keras.layers.Dense(10)])
model.evaluate(x, y, batch_size=64)
model.predict(x, batch_size=64)
#### fit of something else
import tensorflow as tf
from sklearn.linear_model import LogisticRegression

LogisticRegression().fit(x, y)
tokenizer.fit(x, y)
#### hidden arguments
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.layers.Dense(10)])
model.fit(x, y, **options)
#### a dataset by its name
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.layers.Dense(10)])
model.fit(train_ds, batch_size=16)
#### a class that passes fit() on to a Keras model
import numpy as np
import tensorflow as tf
class Net:
    def __init__(self):
        self.model = tf.keras.Model(inputs, outputs)
    def __getattr__(self, name):
        return getattr(self.model, name)
net = Net()
net.fit([a, b], np.zeros(100), epochs=3)
#### findings
9 manual
#### classes with a fit() of their own, or without a Keras model
import tensorflow as tf
class Net:
    def __init__(self):
        self.model = tf.keras.Model(inputs, outputs)
    def __getattr__(self, name):
        return getattr(self.model, name)
    def fit(self, x, y):
        return train(self.model, x, y)
class Plain:
    def step(self):
        return tf.keras.Model(inputs, outputs)
Net().fit(x, y)
Plain().fit(x, y)
