#### a scaler's state from a checkpoint
import torch
scaler = torch.cuda.amp.GradScaler()
scaler.load_state_dict(checkpoint['scaler'])
#### after
import torch
scaler = torch.cuda.amp.GradScaler()
scaler.load_state_dict({'dynamic': True, **checkpoint['scaler']})
#### findings
3 auto
#### an attribute, once migrated
from torch_npu.npu.amp import GradScaler
class Scaler:
    def __init__(self):
        self._scaler = GradScaler()
    def load_state_dict(self, state):
        self._scaler.load_state_dict(state)  # resumed
#### after
from torch_npu.npu.amp import GradScaler
class Scaler:
    def __init__(self):
        self._scaler = GradScaler()
    def load_state_dict(self, state):
        self._scaler.load_state_dict({'dynamic': True, **state})  # resumed
#### under the switch it is the NPU class too
from torch.cuda.amp import GradScaler
scaler = GradScaler(enabled=True)
scaler.load_state_dict(torch_load(path))
#### with style=transfer
#### after
from torch.cuda.amp import GradScaler
scaler = GradScaler(enabled=True)
scaler.load_state_dict({'dynamic': True, **torch_load(path)})
