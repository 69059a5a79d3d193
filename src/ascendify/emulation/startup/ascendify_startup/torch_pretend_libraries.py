"""Parts of PyTorch that look for a GPU behind the program's back."""

from ascendify_startup.torch_marks import gpu_of


def begin():
    """Let them do on the CPU what they would do on a GPU."""
    import torch

    _loading(torch)
    _one_replica(torch.nn.DataParallel)
    _no_pinned_memory(torch.utils.data.DataLoader)


def _loading(torch):
    """Storages that were saved on a GPU, or are to be loaded to one, are loaded to the CPU."""
    from torch import serialization

    def on_cpu(storage, location):
        return storage if gpu_of(location) is not None else None

    # before PyTorch's own, which asks whether the GPU is there
    serialization.register_package(0, lambda storage: None, on_cpu)
    for storage in (torch.storage._StorageBase, torch.storage.TypedStorage):
        storage.cuda = lambda self, device=None, non_blocking=False: self


def _one_replica(parallel):
    """``DataParallel`` of one device: the module itself, whatever the devices."""
    import torch

    def init(self, module, device_ids=None, output_device=None, dim=0):
        torch.nn.Module.__init__(self)
        self.module = module
        self.dim = dim
        self.device_ids = [0]
        self.output_device = 0
        self.src_device_obj = torch.device("cuda", 0)

    def forward(self, *inputs, **kwargs):
        return self.module(*inputs, **kwargs)

    parallel.__init__, parallel.forward = init, forward


def _no_pinned_memory(loader):
    initialise = loader.__init__

    def init(self, *args, **kwargs):
        initialise(self, *args, **kwargs)
        self.pin_memory = False

    loader.__init__ = init
