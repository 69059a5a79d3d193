#### operators by hand
import tensorflow as tf
from tensorflow.python.ops import control_flow_ops
out, _ = control_flow_ops.merge([a, b])
x = tf.raw_ops.Switch(data=x, pred=p)
#### findings
3 blocker
4 blocker
#### a loop whose shapes change
import tensorflow as tf
out = tf.while_loop(cond, body, [i, x],
                    shape_invariants=[i.get_shape(), tf.TensorShape([None, 3])])
#### findings
2 manual
#### a loop whose shapes stay
import tensorflow as tf
out = tf.while_loop(cond, body, [i, x])
more = tf.while_loop(cond, body, [i, x], shape_invariants=[a, tf.TensorShape([2, 3])])
#### the second version is switched on
import tensorflow as tf
tf.enable_control_flow_v2()
out = tf.while_loop(cond, body, [x], shape_invariants=[tf.TensorShape([None])])
#### branches
import tensorflow as tf
y = tf.cond(p, lambda: a, lambda: b)
z = tf.case([(p, f)], default=g)
with tf.control_dependencies([y]):
    z = tf.identity(z)
#### a preprocessing function is only possible
import tensorflow as tf
from tensorflow.python.ops import control_flow_ops
def preprocess_image(image):
    return control_flow_ops.merge([image, image])[0]
#### findings
4 possible
