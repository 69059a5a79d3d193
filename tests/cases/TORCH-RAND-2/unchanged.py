#### cuDNN's switch
import torch
torch.backends.cudnn.deterministic = True
#### findings
2 manual
#### under a name
import torch.backends.cudnn as cudnn
from torch.backends import cudnn as other
cudnn.deterministic = args.repeat
other.deterministic = True
#### findings
3 manual
4 manual
#### torch is seeded as well
import torch
torch.use_deterministic_algorithms(True)
torch.backends.cudnn.deterministic = True
#### findings
3 info
#### switched off
import torch
torch.backends.cudnn.deterministic = False
#### findings
2 info
#### an attribute of something else
import torch
cfg.cudnn.deterministic = True
