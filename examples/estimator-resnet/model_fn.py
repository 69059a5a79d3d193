import tensorflow as tf

import resnet_model

MOMENTUM = 0.9


def learning_rate_with_decay(batch_size, num_images, base_lr):
    """0.1x at 80% and at 90% of ten epochs, linear in the batch size."""
    batches_per_epoch = num_images / batch_size
    initial = base_lr * batch_size / 32
    boundaries = [int(batches_per_epoch * epoch) for epoch in (8, 9)]

    def learning_rate_fn(global_step):
        return tf.train.piecewise_constant(
            global_step, boundaries, [initial, initial * 0.1, initial * 0.01])

    return learning_rate_fn


def resnet_model_fn(features, labels, mode, params):
    model = resnet_model.Model(params['num_blocks'], params['num_classes'])
    logits = model(features, mode == tf.estimator.ModeKeys.TRAIN)
    predictions = {
        'classes': tf.argmax(logits, axis=1),
        'probabilities': tf.nn.softmax(logits, name='softmax_tensor'),
    }
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode=mode, predictions=predictions)

    cross_entropy = tf.losses.sparse_softmax_cross_entropy(labels=labels, logits=logits)
    # no weight decay on batch norm
    l2_loss = params['weight_decay'] * tf.add_n(
        [tf.nn.l2_loss(v) for v in tf.trainable_variables() if 'batch_normalization' not in v.name])
    loss = cross_entropy + l2_loss
    accuracy = tf.metrics.accuracy(labels, predictions['classes'])

    if mode == tf.estimator.ModeKeys.EVAL:
        return tf.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops={'accuracy': accuracy})

    global_step = tf.train.get_or_create_global_step()
    learning_rate = params['learning_rate_fn'](global_step)
    tf.identity(learning_rate, name='learning_rate')
    tf.summary.scalar('learning_rate', learning_rate)
    tf.summary.scalar('cross_entropy', cross_entropy)
    optimizer = tf.train.MomentumOptimizer(learning_rate, MOMENTUM)
    update_ops = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
    with tf.control_dependencies(update_ops):
        train_op = optimizer.minimize(loss, global_step)
    return tf.estimator.EstimatorSpec(mode=mode, loss=loss, train_op=train_op)
