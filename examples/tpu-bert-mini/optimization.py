import tensorflow as tf


def create_optimizer(loss, init_lr, num_train_steps, num_warmup_steps, use_tpu):
    global_step = tf.train.get_or_create_global_step()
    lr = tf.train.polynomial_decay(init_lr, global_step, num_train_steps, end_learning_rate=0.0)
    if num_warmup_steps:
        done = tf.cast(global_step, tf.float32) / num_warmup_steps
        lr = tf.where(done < 1.0, init_lr * done, lr)

    optimizer = tf.contrib.opt.AdamWOptimizer(
        weight_decay=1e-4, learning_rate=lr, beta2=0.98, epsilon=1e-6)
    if use_tpu:
        optimizer = tf.contrib.tpu.CrossShardOptimizer(optimizer)

    tvars = tf.trainable_variables()
    grads = tf.gradients(loss, tvars)
    (grads, _) = tf.clip_by_global_norm(grads, clip_norm=1.0)
    return optimizer.apply_gradients(list(zip(grads, tvars)), global_step=global_step)
