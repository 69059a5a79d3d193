#### the handle of the current stream
import torch
kernel(x, torch.cuda.current_stream().cuda_stream)
#### after
import torch
kernel(x, torch.cuda.current_stream().npu_stream)
#### findings
2 auto-check
#### streams and events made before
import torch
s = torch.cuda.Stream()
e = torch.cuda.Event()
kernel(s.cuda_stream, e.cuda_event)
#### after
import torch
s = torch.cuda.Stream()
e = torch.cuda.Event()
kernel(s.npu_stream, e.npu_event)
#### under the switch
import torch
kernel(torch.cuda.current_stream().cuda_stream)
#### with style=transfer
#### after
import torch
kernel(torch.cuda.current_stream().npu_stream)
