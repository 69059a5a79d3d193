#### a graph with dropout
import tensorflow as tf
y = tf.nn.dropout(x, 0.5)
tf.graph_util.convert_variables_to_constants(sess, sess.graph_def, ['y'])
#### findings
3 manual
#### the operator stands in a file it imports
import tensorflow as tf
import network

est = tf.estimator.Estimator(network.model_fn)
est.export_saved_model('out', receiver)
#### file network.py
import layers
#### file layers.py
def gelu(x):
    return x
#### findings
5 manual
#### an NPU operator by hand
import tensorflow as tf
from npu_bridge.estimator import npu_ops
builder = tf.saved_model.builder.SavedModelBuilder('out')
builder.add_meta_graph_and_variables(sess, ['serve'])
#### findings
4 manual
#### a graph of TensorFlow's own operators
import tensorflow as tf
y = tf.nn.relu(x)
tf.saved_model.simple_save(sess, 'out', {'x': x}, {'y': y})
#### nothing is exported
import tensorflow as tf
y = tf.nn.dropout(x, 0.5)
#### somebody else's export
import mylib
y = mylib.dropout(x)
mylib.Estimator().export_saved_model('out')
