#### Adam with decoupled decay, which is apex' default
import torch
from apex.optimizers import FusedAdam
optimizer = FusedAdam(model.parameters(), lr=1e-3)
#### after
import torch
from apex.optimizers import FusedAdam
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.0)
#### findings
3 auto-check
#### the decay is given, apex' own arguments go
import torch
import apex
optimizer = apex.optimizers.FusedAdam(params, lr=lr, betas=(0.9, 0.98), eps=1e-9,
                                      weight_decay=0.01,
                                      adam_w_mode=True, set_grad_none=True)  # fast
#### after
import torch
import apex
optimizer = torch.optim.AdamW(params, lr=lr, betas=(0.9, 0.98), eps=1e-9,
                                      weight_decay=0.01)  # fast
#### Adam with the decay in the gradient
import torch
from apex.optimizers import FusedAdam as Adam
optimizer = Adam(params, lr=lr, adam_w_mode=False, weight_decay=wd)
#### after
import torch
from apex.optimizers import FusedAdam as Adam
optimizer = torch.optim.Adam(params, lr=lr, weight_decay=wd)
#### arguments by position have another place
import torch
from apex import optimizers
optimizer = optimizers.FusedAdam(params, lr, True, (0.9, 0.99), 1e-6)
#### after
import torch
from apex import optimizers
optimizer = torch.optim.AdamW(params, lr, betas=(0.9, 0.99), eps=1e-6, weight_decay=0.0)
#### SGD
import torch
from apex.optimizers import FusedSGD
optimizer = FusedSGD(params, 0.1, 0.9, weight_decay=1e-4, nesterov=True, materialize_master_grads=False)
#### after
import torch
from apex.optimizers import FusedSGD
optimizer = torch.optim.SGD(params, 0.1, 0.9, weight_decay=1e-4, nesterov=True)
#### torch has no name in the file yet
from apex.optimizers.fused_adam import FusedAdam
from torch import nn
optimizer = FusedAdam(params, weight_decay=0.0)
#### after
from apex.optimizers.fused_adam import FusedAdam
from torch import nn
import torch
optimizer = torch.optim.AdamW(params, weight_decay=0.0)
#### the import may fail
import torch
try:
    from apex.optimizers import FusedAdam, FusedLAMB
except ImportError:
    FusedAdam = None
optimizer = FusedAdam(params, eps=eps, betas=betas, lr=lr)
#### after
import torch
try:
    from apex.optimizers import FusedAdam, FusedLAMB
except ImportError:
    FusedAdam = None
optimizer = torch.optim.AdamW(params, eps=eps, betas=betas, lr=lr, weight_decay=0.0)
#### the switch does not know apex
import torch
from apex.optimizers import FusedAdagrad
optimizer = FusedAdagrad(params)
#### with style=transfer
#### after
import torch
from apex.optimizers import FusedAdagrad
optimizer = torch.optim.Adagrad(params, lr=0.01)
