#### decoders without mixed computing
import tensorflow as tf
decoded, _ = tf.nn.ctc_beam_search_decoder(net_out, lengths, merge_repeated=False)
best, _ = tf.nn.ctc_greedy_decoder(net_out, lengths)
distance = tf.edit_distance(decoded[0], labels)
#### findings
2 manual
3 manual
4 manual
#### mixed computing that the user has switched off
import tensorflow as tf
decoded, _ = tf.nn.ctc_beam_search_decoder(net_out, lengths)
#### with npu.mix_compile_mode=False
#### findings
2 manual
#### a decoder that was put on the host
import tensorflow as tf
from npu_bridge.estimator.npu import npu_scope
with npu_scope.without_npu_compile_scope():
    decoded, _ = tf.nn.ctc_beam_search_decoder(net_out, lengths)
#### with npu.mix_compile_mode=True
#### the loss that counts repeated outputs
import tensorflow as tf
loss = tf.nn.ctc_loss(labels, net_out, lengths, False, merge)
#### findings
2 manual
#### the helpers of Keras
import tensorflow as tf
loss = tf.keras.backend.ctc_batch_cost(y, p, a, b)
#### findings
2 manual
#### the second version
import tensorflow as tf
loss = tf.nn.ctc_loss_v2(labels, logits, label_length, logit_length, blank_index=36)
#### a function of the project
import tensorflow as tf
def ctc_loss(labels, logits):
    return 0
loss = ctc_loss(labels, logits)
#### another distance
import editdistance
import tensorflow as tf
distance = editdistance.eval(a, b)
#### with npu.mix_compile_mode=True
#### a test of the loss
import tensorflow as tf
class LossTest(tf.test.TestCase):
    def test_loss(self):
        tf.nn.ctc_loss(labels, logits, lengths)
#### another framework
import torch.nn as nn
loss = nn.CTCLoss()
