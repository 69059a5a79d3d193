import tensorflow as tf

from input import NUM_CLASSES


def _variable_with_weight_decay(name, shape, stddev, wd):
	# variables live on the CPU, shared by all towers
	with tf.device('/cpu:0'):
		var = tf.get_variable(
			name, shape, initializer=tf.truncated_normal_initializer(stddev=stddev))
	if wd:
		tf.add_to_collection('losses', wd * tf.nn.l2_loss(var))
	return var


def _conv(net, channels, name):
	with tf.variable_scope(name):
		kernel = _variable_with_weight_decay('weights', [5, 5, net.shape[-1].value, channels], 0.05, 0)
		biases = tf.get_variable('biases', [channels], initializer=tf.zeros_initializer())
		net = tf.nn.bias_add(tf.nn.conv2d(net, kernel, [1, 1, 1, 1], padding='SAME'), biases)
		net = tf.nn.relu(net)
		return tf.nn.max_pool(net, [1, 3, 3, 1], [1, 2, 2, 1], 'SAME')


def inference(images, keep_prob):
	net = _conv(images, 16, 'conv1')
	net = tf.nn.lrn(net, 4, bias=1.0, alpha=0.001 / 9.0, beta=0.75, name='norm1')
	net = _conv(net, 16, 'conv2')
	with tf.variable_scope('local3'):
		net = tf.layers.flatten(net)
		weights = _variable_with_weight_decay('weights', [net.shape[-1].value, 64], 0.04, 0.004)
		net = tf.nn.relu(tf.matmul(net, weights))
		net = tf.nn.dropout(net, rate=1 - keep_prob)
	with tf.variable_scope('softmax_linear'):
		weights = _variable_with_weight_decay('weights', [64, NUM_CLASSES], 1 / 64.0, 0)
		return tf.matmul(net, weights)
