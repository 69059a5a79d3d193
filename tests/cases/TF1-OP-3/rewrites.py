#### every loop over time
import tensorflow as tf
from tensorflow.contrib import rnn
a, state = tf.nn.dynamic_rnn(cell, inputs, lengths, dtype=tf.float32)
b, states = tf.nn.bidirectional_dynamic_rnn(fw, bw, inputs, dtype=tf.float32)
c, _, _ = rnn.stack_bidirectional_dynamic_rnn([fw], [bw], inputs, dtype=tf.float32)
d, _ = tf.nn.static_rnn(cell, steps, dtype=tf.float32)
e, _, _ = tf.contrib.rnn.static_bidirectional_rnn(fw, bw, steps, dtype=tf.float32)
#### with dynamic_rnn=yes
#### after
import npu_lstm
import tensorflow as tf
from tensorflow.contrib import rnn
a, state = npu_lstm.dynamic_rnn(cell, inputs, lengths, dtype=tf.float32)
b, states = npu_lstm.bidirectional_dynamic_rnn(fw, bw, inputs, dtype=tf.float32)
c, _, _ = npu_lstm.stack_bidirectional_dynamic_rnn([fw], [bw], inputs, dtype=tf.float32)
d, _ = npu_lstm.static_rnn(cell, steps, dtype=tf.float32)
e, _, _ = npu_lstm.static_bidirectional_rnn(fw, bw, steps, dtype=tf.float32)
#### findings
3 auto
4 auto
5 auto
6 auto
7 auto
#### arguments that hide others
import tensorflow as tf
outputs, _ = tf.nn.dynamic_rnn(cell, inputs, **options)
#### with dynamic_rnn=yes
#### after
import npu_lstm
import tensorflow as tf
outputs, _ = npu_lstm.dynamic_rnn(cell, inputs, **options)
#### findings
2 auto
