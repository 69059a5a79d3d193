#### the loss with sparse labels
import numpy as np
import tensorflow as tf
loss = tf.reduce_mean(tf.nn.ctc_loss(
    labels=labels, inputs=net_out,  # time major
    sequence_length=25 * np.ones(32)))
#### after
import npu_ctc
import numpy as np
import tensorflow as tf
loss = tf.reduce_mean(npu_ctc.ctc_loss(
    labels=labels, inputs=net_out,  # time major
    sequence_length=25 * np.ones(32)))
#### findings
3 auto
#### positional arguments, with those that change nothing
import tensorflow as tf
loss = tf.nn.ctc_loss(labels, net_out, lengths, False, True, ignore_longer_outputs_than_inputs=True)
#### after
import npu_ctc
import tensorflow as tf
loss = npu_ctc.ctc_loss(labels, net_out, lengths, False, True, ignore_longer_outputs_than_inputs=True)
#### findings
2 auto
#### repeated labels collapsed
import tensorflow as tf
loss = tf.nn.ctc_loss(labels, net_out, lengths, preprocess_collapse_repeated=True)
#### after
import npu_ctc
import tensorflow as tf
loss = npu_ctc.ctc_loss(labels, net_out, lengths, preprocess_collapse_repeated=True)
#### findings
2 auto
#### an alias
from tensorflow import nn
import tensorflow.compat.v1 as tf1
loss = nn.ctc_loss(y, x, n)
other = tf1.nn.ctc_loss(y, x, n)
#### after
from tensorflow import nn
import npu_ctc
import tensorflow.compat.v1 as tf1
loss = npu_ctc.ctc_loss(y, x, n)
other = npu_ctc.ctc_loss(y, x, n)
#### findings
3 auto
4 auto
#### decoding
import tensorflow as tf
decoded, _ = tf.nn.ctc_beam_search_decoder(net_out, lengths, merge_repeated=False)
best, _ = tf.nn.ctc_greedy_decoder(net_out, lengths)
error = tf.reduce_mean(tf.edit_distance(tf.cast(decoded[0], tf.int32), labels))
#### with npu.mix_compile_mode=True
#### after
import npu_ctc
import tensorflow as tf
decoded, _ = npu_ctc.ctc_beam_search_decoder(net_out, lengths, merge_repeated=False)
best, _ = npu_ctc.ctc_greedy_decoder(net_out, lengths)
error = tf.reduce_mean(npu_ctc.edit_distance(tf.cast(decoded[0], tf.int32), labels))
#### findings
2 auto
3 auto
4 auto
#### a name that is taken
import tensorflow as tf
npu_ctc = 3
loss = tf.nn.ctc_loss(labels, net_out, lengths)
#### after
import npu_ctc as npu_ctc_2
import tensorflow as tf
npu_ctc = 3
loss = npu_ctc_2.ctc_loss(labels, net_out, lengths)
#### findings
3 auto
