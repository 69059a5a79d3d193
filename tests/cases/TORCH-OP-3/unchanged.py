#### other layouts
import torch
a = x.contiguous(memory_format=torch.contiguous_format)
b = x.to(memory_format=torch.preserve_format)
c = x.contiguous()
#### a layout that is requested
import torch
fmt = torch.channels_last if fast else torch.contiguous_format
same = x.is_contiguous(memory_format=fmt)
#### findings
2 manual
#### a name of the user's
import torch
channels_last = True
build(memory_format=channels_last)
