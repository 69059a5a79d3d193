#### arrays with a batch size
import tensorflow as tf
model = tf.keras.Sequential()
model.fit(x, y, batch_size=64)
model.fit(x, y, args.batch, validation_data=(a, b))
#### findings
3 info
4 info
#### the default batch size, and arrays to evaluate
import tensorflow as tf
model = tf.keras.Sequential()
model.evaluate(x_test, y_test)
model.predict(x_test, batch_size=n)
#### findings
3 info
4 info
#### several inputs
import tensorflow as tf
model = tf.keras.Sequential()
model.fit([a, b], y)
#### findings
3 info
#### a look at a few predictions
import tensorflow as tf
model = tf.keras.Sequential()
model.predict(x[:4])
#### a dataset
import tensorflow as tf
model = tf.keras.Sequential()
ds = tf.data.Dataset.from_tensor_slices(x).batch(8)
model.fit(ds, epochs=3)
model.evaluate(ds)
#### a number of steps
import tensorflow as tf
model = tf.keras.Sequential()
model.fit(it, steps_per_epoch=10)
model.predict(it, steps=3)
#### generators come in batches
import tensorflow as tf
model = tf.keras.Sequential()
model.fit_generator(gen, steps_per_epoch=3)
model.fit(datagen.flow(x, y, batch_size=32))
model.fit(train_generator)
#### single batches
import tensorflow as tf
model = tf.keras.Sequential()
model.train_on_batch(x, y)
model.predict_on_batch(x)
#### another library
from sklearn.svm import SVC
SVC().fit(x, y)
#### a class of the user's
import tensorflow as tf
class Net(object):
    def fit(self, x, batch_size): pass
Net().fit(x, batch_size=3)
#### no arrays to see
import tensorflow as tf
model = tf.keras.Sequential()
model.fit(**data)
model.fit()
#### a tensor
import tensorflow as tf
model = tf.keras.Sequential()
model.predict(tf.zeros((8, 3)))
#### batches of one are never smaller
import tensorflow as tf
model = tf.keras.Sequential()
model.fit(x, y, batch_size=1)
