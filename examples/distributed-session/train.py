"""Between-graph replication: parameter servers hold the variables, workers compute.

Start one process per task, see run.sh.
"""
import tensorflow as tf

import dataset
import model

flags = tf.app.flags
flags.DEFINE_string("ps_hosts", "localhost:24220", "Comma-separated host:port of the parameter servers")
flags.DEFINE_string("worker_hosts", "localhost:24221", "Comma-separated host:port of the workers")
flags.DEFINE_string("job_name", "worker", "'ps' or 'worker'")
flags.DEFINE_integer("task_index", 0, "Index of task within the job")
flags.DEFINE_integer("num_gpus", 1, "GPUs of this machine; 0 trains on the CPU")
flags.DEFINE_integer("batch_size", 64, "Per worker")
flags.DEFINE_integer("train_steps", 1000, "Global steps, all workers together")
flags.DEFINE_float("learning_rate", 0.003, "Learning rate")
flags.DEFINE_bool("sync_replicas", False, "Wait for all workers before an update")
flags.DEFINE_string("train_dir", "train_logs", "Checkpoints of the chief")
FLAGS = flags.FLAGS


def main(_):
    ps_hosts = FLAGS.ps_hosts.split(",")
    worker_hosts = FLAGS.worker_hosts.split(",")
    cluster = tf.train.ClusterSpec({"ps": ps_hosts, "worker": worker_hosts})
    server = tf.train.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)

    if FLAGS.job_name == "ps":
        server.join()   # never returns
        return

    is_chief = FLAGS.task_index == 0
    num_workers = len(worker_hosts)
    if FLAGS.num_gpus > 0:
        gpu = FLAGS.task_index % FLAGS.num_gpus
        worker_device = "/job:worker/task:%d/gpu:%d" % (FLAGS.task_index, gpu)
    else:
        worker_device = "/job:worker/task:%d/cpu:0" % FLAGS.task_index

    # Variables go to the ps round-robin, everything else stays here
    with tf.device(tf.train.replica_device_setter(
            worker_device=worker_device, ps_device="/job:ps/cpu:0", cluster=cluster)):
        tf.set_random_seed(8)
        global_step = tf.train.get_or_create_global_step()
        x, y = dataset.input_batches(FLAGS.batch_size, FLAGS.task_index, num_workers)
        loss = tf.losses.mean_squared_error(y, model.regression_model(x, [64, 32]))
        opt = tf.train.AdamOptimizer(FLAGS.learning_rate)
        hooks = [tf.train.StopAtStepHook(last_step=FLAGS.train_steps)]
        if FLAGS.sync_replicas:
            opt = tf.train.SyncReplicasOptimizer(
                opt, replicas_to_aggregate=num_workers, total_num_replicas=num_workers)
            hooks.append(opt.make_session_run_hook(is_chief))
        train_op = opt.minimize(loss, global_step=global_step)

    config = tf.ConfigProto(
        allow_soft_placement=True,
        log_device_placement=False,
        device_filters=["/job:ps", "/job:worker/task:%d" % FLAGS.task_index])
    config.gpu_options.allow_growth = True

    with tf.train.MonitoredTrainingSession(
            server.target, is_chief, FLAGS.train_dir,
            hooks=hooks, config=config, stop_grace_period_secs=5) as sess:
        local_step = 0
        while not sess.should_stop():
            _, loss_value, step = sess.run([train_op, loss, global_step])
            local_step += 1
            if local_step % 100 == 0:
                print("worker %d: local step %d, global step %d, loss: %.4f"
                      % (FLAGS.task_index, local_step, step, loss_value))


if __name__ == "__main__":
    tf.app.run()
