"""Parts of PyTorch that look for a GPU behind the program's back."""


def begin():
    """Let them do on the CPU what they would do on a GPU."""
    import torch

    _one_replica(torch.nn.DataParallel)


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
