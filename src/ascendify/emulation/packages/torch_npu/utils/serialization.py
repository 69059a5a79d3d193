"""Save a checkpoint in the background."""

import threading

import torch

_running = []


def save_async(
    obj,
    f,
    pickle_module=None,
    pickle_protocol=2,
    _use_new_zipfile_serialization=True,
    _disable_byteorder_record=False,
    model=None,
):
    """Run torch.save in the background, with the current values of the tensors."""
    still = _copied(obj)
    worker = threading.Thread(
        target=torch.save, args=(still, f), kwargs={"pickle_protocol": pickle_protocol}
    )
    _running[:] = [thread for thread in _running if thread.is_alive()] + [worker]
    worker.start()


def _copied(value):
    if isinstance(value, torch.Tensor):
        return value.detach().clone()
    if isinstance(value, dict):
        copied = {} if hasattr(value, "default_factory") else type(value)()
        copied.update((key, _copied(item)) for key, item in value.items())
        return copied
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
        return type(value)(_copied(item) for item in value)
    return value
