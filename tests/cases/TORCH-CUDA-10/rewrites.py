#### annotations
from typing import Optional
import torch
def wait(s: "torch.cuda.Stream", e: Optional['torch.cuda.Event'] = None) -> "torch.cuda.Event":
    x: "torch.cuda.CUDAGraph" = make()
#### after
from typing import Optional
import torch
def wait(s: "torch.npu.Stream", e: Optional['torch.npu.Event'] = None) -> "torch.npu.Event":
    x: "torch.npu.NPUGraph" = make()
#### findings
3 auto
3 auto
3 auto
4 auto
#### mixed precision
import torch
def step(scaler: "torch.cuda.amp.GradScaler"): pass
#### after
import torch
def step(scaler: "torch.npu.amp.GradScaler"): pass
#### patches
import torch
from unittest import mock
@mock.patch("torch.cuda.is_available", return_value=False)
def test_cpu(fake, monkeypatch):
    monkeypatch.setattr("torch.cuda.device_count", lambda: 2)
#### after
import torch
from unittest import mock
@mock.patch("torch.npu.is_available", return_value=False)
def test_cpu(fake, monkeypatch):
    monkeypatch.setattr("torch.npu.device_count", lambda: 2)
