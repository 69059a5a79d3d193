#### the arrays of one of Keras' datasets
import tensorflow as tf

(x_train, y_train), (x_test, y_test) = tf.keras.datasets.mnist.load_data()
x_train = x_train.reshape(-1, 784).astype("float32") / 255
model = tf.keras.Sequential([tf.keras.layers.Dense(10)])
model.fit(x_train, y_train, batch_size=64, epochs=3, validation_data=(x_test, y_test))
#### after
import tensorflow as tf

(x_train, y_train), (x_test, y_test) = tf.keras.datasets.mnist.load_data()
x_train = x_train.reshape(-1, 784).astype("float32") / 255
model = tf.keras.Sequential([tf.keras.layers.Dense(10)])
model.fit(x_train[:len(x_train) // 64 * 64 or None], y_train[:len(x_train) // 64 * 64 or None], batch_size=64, epochs=3, validation_data=(x_test, y_test))
#### findings
6 auto
#### the batch size in a variable, arrays of numpy
import numpy as np
import tensorflow as tf

BATCH = 50
x = np.load("x.npy")
y = np.load("y.npy")
model = tf.keras.Sequential([tf.keras.layers.Dense(10)])
model.fit(x=x, y=y, batch_size=BATCH)
#### after
import numpy as np
import tensorflow as tf

BATCH = 50
x = np.load("x.npy")
y = np.load("y.npy")
model = tf.keras.Sequential([tf.keras.layers.Dense(10)])
model.fit(x=x[:len(x) // BATCH * BATCH or None], y=y[:len(x) // BATCH * BATCH or None], batch_size=BATCH)
#### the default batch size
import numpy as np
import tensorflow as tf

x = np.random.rand(1000, 4)
y = np.random.rand(1000)
model = tf.keras.Sequential([tf.keras.layers.Dense(10)])
model.fit(x, y)
#### after
import numpy as np
import tensorflow as tf

x = np.random.rand(1000, 4)
y = np.random.rand(1000)
model = tf.keras.Sequential([tf.keras.layers.Dense(10)])
model.fit(x[:len(x) // 32 * 32 or None], y[:len(x) // 32 * 32 or None])
#### part of the data for validation
import numpy as np
import tensorflow as tf

x = np.random.rand(1000, 4)
y = np.random.rand(1000)
model = tf.keras.Sequential([tf.keras.layers.Dense(10)])
model.fit(x, y, batch_size=64, validation_split=0.2)
#### findings
7 manual
#### several inputs, and arrays nobody knows
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.layers.Dense(10)])
model.fit([a, b], labels, batch_size=64)
model.fit(features, labels)
model.fit(features, batch_size=16)
#### findings
4 manual
5 manual
6 manual
#### fewer samples than a batch
import numpy as np
import tensorflow as tf

x = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
y = np.array([0, 1, 1, 0])
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.fit(x, y, epochs=1000)
#### after
import numpy as np
import tensorflow as tf

x = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
y = np.array([0, 1, 1, 0])
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.fit(x[:len(x) // 32 * 32 or None], y[:len(x) // 32 * 32 or None], epochs=1000)
#### arrays of one statement
import numpy as np
import tensorflow as tf

x, y = np.load("x.npy"), np.load("y.npy")
model = tf.keras.Sequential()
model.fit(x, y, batch_size=8)
#### after
import numpy as np
import tensorflow as tf

x, y = np.load("x.npy"), np.load("y.npy")
model = tf.keras.Sequential()
model.fit(x[:len(x) // 8 * 8 or None], y[:len(x) // 8 * 8 or None], batch_size=8)
#### findings
6 auto
