#### flags
import torch
import torch.backends.cudnn as cudnn
torch.backends.cudnn.benchmark = True
cudnn.enabled = False
torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False
#### findings
3 info
4 info
5 info
#### for a block
import torch
with torch.backends.cudnn.flags(enabled=False):
    pass
#### findings
2 info
#### a version that is shown
import torch
print("cudnn", torch.backends.cudnn.version())
#### findings
2 info
#### a version that decides
import torch
if torch.backends.cudnn.version() >= 8000:
    pass
ok = torch.backends.cudnn.is_available() and ready
if torch.backends.cudnn.is_available():
    pass
#### findings
2 manual
4 manual
5 manual
#### names of other rules
import torch
torch.backends.cudnn.deterministic = True
torch.backends.cudnn.allow_tf32 = True
torch.backends.mkldnn.enabled = True
#### somebody else's flag
from mylib import cudnn
cudnn.benchmark = True
#### a query that only decides on flags that do nothing anyway
import torch
if torch.backends.cudnn.is_available():
    torch.backends.cudnn.benchmark = True
    logger("cuDNN benchmark: ON")
#### findings
2 info
3 info
#### a query that decides on more than that
import torch
if torch.backends.cudnn.is_available():
    torch.backends.cudnn.benchmark = True
    model.cuda()
if torch.backends.cudnn.is_available():
    torch.backends.cudnn.benchmark = True
else:
    slow()
#### findings
2 manual
3 info
5 manual
6 info
