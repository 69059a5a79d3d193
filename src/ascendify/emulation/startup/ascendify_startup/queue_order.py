"""Let TensorFlow's input queues deliver in an order that does not depend on timing.

Several threads fill a queue, and a shuffling queue draws from what happens to be in it: two runs
of one program train on other batches. With one thread for each input and queues that keep their
order, a program and its migration see the same samples. A ``Supervisor`` also computes summaries in
the background, when the clock says so, with batches that the training then misses: it does not.
"""

import functools

from ascendify_startup import import_hooks


def begin():
    """Change queues when TensorFlow is imported."""
    import_hooks.after("tensorflow", _keep_order)


def _keep_order():
    from tensorflow.python.ops import gen_data_flow_ops
    from tensorflow.python.training import queue_runner_impl, supervisor

    _shuffle_nothing(gen_data_flow_ops)
    _fill_by_one_thread(queue_runner_impl.QueueRunner)
    supervisor.SVSummaryThread.run_loop = lambda self: None


def _shuffle_nothing(operators):
    @functools.wraps(operators.random_shuffle_queue_v2)
    def in_order(component_types, **named):
        for name in ("min_after_dequeue", "seed", "seed2"):
            named.pop(name, None)
        return operators.fifo_queue_v2(component_types, **named)

    operators.random_shuffle_queue_v2 = in_order


def _fill_by_one_thread(runner):
    original = runner.create_threads

    @functools.wraps(original)
    def create_threads(self, *args, **kwargs):
        if len(set(self._enqueue_ops)) == 1:
            # every thread would run the same operation
            del self._enqueue_ops[1:]
        return original(self, *args, **kwargs)

    runner.create_threads = create_threads
