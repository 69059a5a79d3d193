#### debugging and the allocator
import os
import torch
os.environ['CUDA_LAUNCH_BLOCKING'] = '1'
os.environ.setdefault("PYTORCH_CUDA_ALLOC_CONF", "max_split_size_mb:128")
os.environ['TORCH_NCCL_BLOCKING_WAIT'] = '1'
#### after
import os
import torch
os.environ['ASCEND_LAUNCH_BLOCKING'] = '1'
os.environ.setdefault("PYTORCH_NPU_ALLOC_CONF", "max_split_size_mb:128")
os.environ['TORCH_HCCL_BLOCKING_WAIT'] = '1'
#### findings
3 auto
4 auto-check
5 auto
