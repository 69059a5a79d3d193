"""``torch.nn.DataParallel`` on the pretended GPU: it runs the module itself, on one device."""

from ascendify_startup.torch_pretend_marks import UNKNOWN, check, gpu_of, place_of


def begin():
    """Replace the methods of ``DataParallel``, which need a GPU."""
    import torch

    _one_replica(torch.nn.DataParallel)


def _one_replica(parallel):
    """Make ``DataParallel`` call the module directly, for any list of devices."""
    import torch

    def init(self, module, device_ids=None, output_device=None, dim=0):
        torch.nn.Module.__init__(self)
        self.module = module
        self.dim = dim
        first = gpu_of(device_ids[0]) if device_ids else 0
        check(first)
        self.device_ids = [first]
        self.output_device = first
        self.src_device_obj = torch.device("cuda", first)

    def forward(self, *inputs, **kwargs):
        for tensor in (*self.module.parameters(), *self.module.buffers()):
            if place_of(tensor) not in (self.device_ids[0], UNKNOWN):
                raise RuntimeError(
                    "module must have its parameters and buffers on device %s (device_ids[0]) but "
                    "found one of them on device: %s" % (self.src_device_obj, tensor.device)
                )
        inputs, kwargs = moved((inputs, kwargs), self.src_device_obj)
        return self.module(*inputs, **kwargs)

    parallel.__init__, parallel.forward = init, forward


def moved(value, device):
    """Move the tensors in tuples, lists and dictionaries to a GPU."""
    import torch

    if isinstance(value, torch.Tensor):
        return value.to(device)
    if isinstance(value, (tuple, list)):
        items = [moved(one, device) for one in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    if isinstance(value, dict):
        return type(value)([(name, moved(one, device)) for name, one in value.items()])
    return value
