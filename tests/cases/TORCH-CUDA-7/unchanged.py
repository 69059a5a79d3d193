#### a stream nobody knows
import torch
def launch(stream):
    kernel(stream.cuda_stream)
#### findings
3 manual
#### an attribute of the project
import torch
class Loader:
    def __init__(self):
        self.cuda_stream = torch.cuda.Stream()
    def next(self):
        return self.cuda_stream
#### already migrated
import torch
kernel(torch.npu.current_stream().npu_stream)
