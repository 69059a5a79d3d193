#### through the module
import torch
with torch.profiler.profile(
    activities=[torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA],
    schedule=torch.profiler.schedule(wait=1, warmup=1, active=2),
    on_trace_ready=torch.profiler.tensorboard_trace_handler("log"),
) as prof:
    with torch.profiler.record_function("forward"):
        pass
    prof.step()
#### after
import torch
import torch_npu
with torch_npu.profiler.profile(
    activities=[torch_npu.profiler.ProfilerActivity.CPU, torch_npu.profiler.ProfilerActivity.NPU],
    schedule=torch_npu.profiler.schedule(wait=1, warmup=1, active=2),
    on_trace_ready=torch_npu.profiler.tensorboard_trace_handler("log"),
) as prof:
    with torch.profiler.record_function("forward"):
        pass
    prof.step()
#### findings
2 auto
3 auto
3 auto
4 auto
5 auto
#### torch_npu goes right behind torch, not behind other imports
import time
import torch
from net import Net
with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]):
    Net()
#### after
import time
import torch
import torch_npu
from net import Net
with torch_npu.profiler.profile(activities=[torch_npu.profiler.ProfilerActivity.NPU]):
    Net()
#### imported one by one
from torch.profiler import profile, record_function, ProfilerActivity
with profile(activities=[ProfilerActivity.CUDA]) as prof:
    with record_function("a"):
        pass
#### after
from torch_npu.profiler import profile, ProfilerActivity
from torch.profiler import record_function
with profile(activities=[ProfilerActivity.NPU]) as prof:
    with record_function("a"):
        pass
#### all of them move
from torch.profiler import (
    profile,  # traces
    schedule as plan,
)
with profile(schedule=plan(wait=1, warmup=1, active=1)) as prof:
    pass
#### after
from torch_npu.profiler import (
    profile,  # traces
    schedule as plan,
)
with profile(schedule=plan(wait=1, warmup=1, active=1)) as prof:
    pass
#### the module under a name
import torch.profiler as profiler
with profiler.profile() as prof:
    with profiler.record_function("a"):
        pass
#### after
import torch.profiler as profiler
import torch_npu
with torch_npu.profiler.profile() as prof:
    with profiler.record_function("a"):
        pass
#### arguments for GPUs
import torch
prof = torch.profiler.profile(use_cuda=True, with_stack=True, experimental_config=config)
#### after
import torch
import torch_npu
prof = torch_npu.profiler.profile(with_stack=True)
