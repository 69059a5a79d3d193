#### the loss with sparse labels
import tensorflow as tf
loss = tf.reduce_mean(tf.nn.ctc_loss(
    labels=labels, inputs=net_out, sequence_length=25 * np.ones(32)))
#### findings
2 manual
#### beam search
import tensorflow as tf
decoded, _ = tf.nn.ctc_beam_search_decoder(net_out, lengths, merge_repeated=False)
#### findings
2 manual
#### greedy search
import tensorflow as tf
decoded, _ = tf.nn.ctc_greedy_decoder(net_out, lengths)
#### findings
2 info
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
#### another framework
import torch.nn as nn
loss = nn.CTCLoss()
