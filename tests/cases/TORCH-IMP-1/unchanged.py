#### already imported
import torch
import torch_npu
x = torch.zeros(1).npu()
#### already imported where it is needed
import torch
if has_npu:
    import torch_npu
x = torch.zeros(1).npu()
#### a name of torch_npu is an import of it
import torch
from torch_npu.npu import Stream
torch.npu.synchronize()
#### a module of layers
import torch
from torch import nn
class Net(nn.Module):
    def forward(self, x):
        return torch.relu(x)
#### with entry=
#### a script that prepares data with torchvision and uses no device
from torchvision import transforms
transforms.Resize(8)
#### a module that only uses torchvision
from torchvision import transforms
resize = transforms.Resize(8)
#### with entry=
#### an attribute of somebody else
import torch
def choose(args):
    return args.npu
#### with entry=
#### the word in a text is no use
import torch
print("runs on npu and gpu", "hccl is not nccl")
#### with entry=
#### a script without torch
import argparse
print("npu", argparse)
#### for type checkers only
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    import torch
def f(x: "torch.Tensor"):
    return x.npu()
#### with entry=
#### under the switch the entry point has it
import torch
torch.npu.synchronize()
#### with style=transfer
#### a module of layers that tests itself
import torch
if __name__ == "__main__":
    print(torch.ones(1))
#### file train.py
import main
#### a package of the project with a public name
from timm.data import load
load()
#### file timm/data.py
def load(): pass
#### a script that gets it with the switch
import torch
torch.zeros(1).npu()
#### with transfer=main.py
