#### precision
import torch
torch.set_float32_matmul_precision("high")
torch.set_float32_matmul_precision("highest")
torch.set_float32_matmul_precision(args.precision)
#### findings
2 info
4 info
#### already set
import torch
torch.npu.matmul.allow_hf32 = True
#### an option of the project
import torch
args.allow_tf32 = True
parser.add_argument("--allow_tf32")
#### other flags
import torch
torch.backends.cudnn.benchmark = True
#### a flag of another library
from other.backends import cudnn
cudnn.allow_tf32 = True
#### a local name
def f(torch):
    torch.backends.cudnn.allow_tf32 = True
#### a text
import torch
print("torch.backends.cudnn.allow_tf32 = True")
#### a class attribute
class Config:
    allow_tf32 = True
