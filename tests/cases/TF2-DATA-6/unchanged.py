#### a start that is not 0
import tensorflow as tf

for i in range(first, len(x), 32):
    model.train_on_batch(x[i:i + 32], y[i:i + 32])
#### findings
3 manual
#### full batches already
import tensorflow as tf

for i in range(0, len(x) // 32 * 32, 32):
    model.train_on_batch(x[i:i + 32])
for i in range(0, len(x) - len(x) % 32, 32):
    model.train_on_batch(x[i:i + 32])
for i in range(0, 64, 32):
    model.train_on_batch(x[i:i + 32])
#### slices for prediction
import tensorflow as tf

for i in range(0, len(x), 32):
    model.predict(x[i:i + 32])
#### another slice
import tensorflow as tf

for i in range(0, len(x), 32):
    model.train_on_batch(x[i:], y)
for i in range(0, len(x), 2):
    model.train_on_batch(x[i:i + 32], y)
#### a range that nothing is cut by
import tensorflow as tf

for i in range(0, 100, 10):
    model.train_on_batch(x, y)
