#### what there is not
import torch
from unittest import mock
mock.patch("torch.cuda.nccl.version")
#### findings
3 manual
#### texts for people
import torch
print("torch.cuda.is_available")
log("torch.cuda.synchronize", 1)
#### keys
import torch
times = {"torch.cuda.synchronize": 0.0}
times["torch.cuda.synchronize"] += 1
#### a sentence
import torch
def f(x: "what torch.cuda.Stream gives"):
    """torch.cuda.Stream"""
#### types of tensors have a rule of their own
import torch
def f(x: "torch.cuda.FloatTensor"): pass
#### a default is not an annotation
import torch
def f(x: str = "torch.cuda.Stream"): pass
#### another package
import torch
from unittest import mock
mock.patch("mytorch.cuda.is_available")
#### under the switch
import torch
from unittest import mock
mock.patch("torch.cuda.is_available")
#### with style=transfer
