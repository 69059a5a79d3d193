"""Let DistributedDataParallel add gradients up over the ranks instead of averaging them.

A control run: a loss that is a sum over the batch then trains as on one device.
"""

import functools

from ascendify_startup import import_hooks


def begin():
    """Change the wrapper when torch is imported."""
    import_hooks.after("torch", _patch)


def _patch():
    from torch.nn import parallel

    make = parallel.DistributedDataParallel.__init__

    @functools.wraps(make)
    def with_sums(self, *args, **kwargs):
        make(self, *args, **kwargs)
        self.register_comm_hook(None, _add)

    parallel.DistributedDataParallel.__init__ = with_sums


def _add(state, bucket):
    import torch.distributed

    work = torch.distributed.all_reduce(bucket.buffer(), async_op=True)
    return work.get_future().then(lambda future: future.value()[0])
