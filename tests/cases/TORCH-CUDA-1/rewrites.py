#### calls
import torch
torch.cuda.set_device(0)
torch.cuda.manual_seed_all(1)
if torch.cuda.is_available():
    print(torch.cuda.device_count())
#### after
import torch
torch.npu.set_device(0)
torch.npu.manual_seed_all(1)
if torch.npu.is_available():
    print(torch.npu.device_count())
#### findings
2 auto
3 auto
4 auto
5 auto
#### the alias stays
import torch as th
th.cuda.synchronize()
#### after
import torch as th
th.npu.synchronize()
#### value, base class, annotation, decorator, with
import torch

sync = torch.cuda.synchronize if timed else None

class Side(torch.cuda.Stream):
    pass

def wait(stream: torch.cuda.Stream) -> torch.cuda.Event:
    with torch.cuda.stream(stream), torch.cuda.device(0):
        return torch.cuda.Event(enable_timing=True)
#### after
import torch

sync = torch.npu.synchronize if timed else None

class Side(torch.npu.Stream):
    pass

def wait(stream: torch.npu.Stream) -> torch.npu.Event:
    with torch.npu.stream(stream), torch.npu.device(0):
        return torch.npu.Event(enable_timing=True)
#### the module itself
import torch
device_module = torch.cuda if use else torch.cpu
getattr(torch.cuda, name)()
#### after
import torch
device_module = torch.npu if use else torch.cpu
getattr(torch.npu, name)()
#### storages
import torch
s = torch.cuda.FloatStorage(3)
#### after
import torch
s = torch.npu.FloatStorage(3)
#### submodules
import torch
torch.cuda.memory.empty_cache()
torch.cuda.memory._record_memory_history(max_entries=10)
torch.cuda.memory.mem_get_info()
torch.cuda.random.manual_seed(0)
s = torch.cuda.streams.Stream()
#### after
import torch
torch.npu.memory.empty_cache()
torch.npu.memory._record_memory_history(max_entries=10)
torch.npu.mem_get_info()
torch.npu.random.manual_seed(0)
s = torch.npu.streams.Stream()
#### random states and generators
import torch
states = torch.cuda.get_rng_state_all()
torch.cuda.set_rng_state(states[0])
g = torch.cuda.default_generators[0]
#### after
import torch
states = torch.npu.get_rng_state_all()
torch.npu.set_rng_state(states[0])
g = torch.npu.default_generators[0]
#### private functions both have
import torch
torch.cuda._lazy_init()
torch.cuda._sleep(1000)
#### after
import torch
torch.npu._lazy_init()
torch.npu._sleep(1000)
#### methods of classes and of streams
import torch
torch.cuda.current_stream().wait_stream(side)
torch.cuda.Event.record(e)
#### after
import torch
torch.npu.current_stream().wait_stream(side)
torch.npu.Event.record(e)
#### over several lines
import torch
free = (torch
        .cuda  # the device
        .mem_get_info())
#### after
import torch
free = (torch
        .npu  # the device
        .mem_get_info())
#### torch of several imports
try:
    import torch
except ImportError:
    raise
def f():
    return [torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count())]
#### after
try:
    import torch
except ImportError:
    raise
def f():
    return [torch.npu.get_device_name(i) for i in range(torch.npu.device_count())]
#### through another file of the project
from common import torch
torch.cuda.synchronize()
#### file common.py
import torch
#### after
from common import torch
torch.npu.synchronize()
#### replaced by a test
import torch
torch.cuda.is_available = lambda: False
#### after
import torch
torch.npu.is_available = lambda: False
#### what a branch imports may be for GPUs
import torch
if torch.cuda.is_available():
    from nms.nms_gpu import nms_gpu
if torch.cuda.is_available() and ready:
    import numpy
#### after
import torch
if torch.npu.is_available():
    from nms.nms_gpu import nms_gpu
if torch.npu.is_available() and ready:
    import numpy
#### findings
2 auto-check
4 auto
#### a variable that also chooses a build of a package
import torch
cuda = torch.cuda.is_available() and device.type != "cpu"
check_requirements(("onnx", "onnxruntime-gpu" if cuda else "onnxruntime"))
if cuda:
    print("no onnxruntime-gpu here")
    fast()
#### after
import torch
cuda = torch.npu.is_available() and device.type != "cpu"
check_requirements(("onnx", "onnxruntime-gpu" if torch.cuda.is_available() else "onnxruntime"))
if cuda:
    print("no onnxruntime-gpu here")
    fast()
#### findings
2 auto
#### an installation beside other work
import torch
if torch.cuda.is_available():
    install("cupy-cuda11x")
    model = build()
#### after
import torch
if torch.npu.is_available():
    install("cupy-cuda11x")
    model = build()
#### findings
2 auto-check
#### devices and backends are no packages
import torch
name = "cuda" if torch.cuda.is_available() else "cpu"
backend = "nccl" if torch.cuda.is_available() else "gloo"
#### after
import torch
name = "cuda" if torch.npu.is_available() else "cpu"
backend = "nccl" if torch.npu.is_available() else "gloo"
