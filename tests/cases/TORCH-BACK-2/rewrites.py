#### matrices and convolutions
import torch
torch.backends.cuda.matmul.allow_tf32 = True  # faster
torch.backends.cudnn.allow_tf32 = args.tf32
#### after
import torch
torch.npu.matmul.allow_hf32 = True  # faster
torch.npu.conv.allow_hf32 = args.tf32
#### findings
2 auto-check
3 auto-check
#### under other names
import torch as th
from torch.backends import cudnn
th.backends.cuda.matmul.allow_tf32 = False
cudnn.allow_tf32 = False
#### after
import torch as th
from torch.backends import cudnn
th.npu.matmul.allow_hf32 = False
th.npu.conv.allow_hf32 = False
#### torch is not there yet
from torch.backends import cudnn
cudnn.allow_tf32 = True
#### after
from torch.backends import cudnn
import torch
torch.npu.conv.allow_hf32 = True
#### read
import torch
old = torch.backends.cuda.matmul.allow_tf32
#### after
import torch
old = torch.npu.matmul.allow_hf32
#### plans of Fourier transforms
import torch
torch.backends.cuda.cufft_plan_cache.max_size = 10
torch.backends.cuda.cufft_plan_cache.clear()
#### after
import torch
torch.npu.backends.fft_plan_cache.max_size = 10
torch.npu.backends.fft_plan_cache.clear()
#### the switch does not know it
import torch
torch.backends.cuda.matmul.allow_tf32 = True
#### with style=transfer
#### after
import torch
torch.npu.matmul.allow_hf32 = True
#### torch is imported more than once
import torch
import torch.nn as nn
import torch.utils.data
from torch.backends import cudnn
torch.backends.cuda.matmul.allow_tf32 = True
cudnn.allow_tf32 = True
#### after
import torch
import torch.nn as nn
import torch.utils.data
from torch.backends import cudnn
torch.npu.matmul.allow_hf32 = True
torch.npu.conv.allow_hf32 = True
