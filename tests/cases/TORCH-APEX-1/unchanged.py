#### torch's own
import torch
optimizer = torch.optim.AdamW(params)
#### the NPU's own
import torch_npu
optimizer = torch_npu.optim.NpuFusedAdam(params)
#### a class of the project
class FusedAdam:
    pass
optimizer = FusedAdam(params)
#### another library's
from deepspeed.ops.adam import FusedAdam
optimizer = FusedAdam(params)
#### without correction of the bias it is another optimizer
from apex.optimizers import FusedAdam
optimizer = FusedAdam(params, bias_correction=False)
#### findings
2 manual
#### arguments that cannot be seen
from apex.optimizers import FusedSGD
optimizer = FusedSGD(params, **options)
#### findings
2 manual
#### a mode that cannot be seen
from apex.optimizers import FusedAdam
optimizer = FusedAdam(params, adam_w_mode=mode)
#### findings
2 manual
#### LAMB
from apex.optimizers import FusedLAMB
optimizer = FusedLAMB(params, lr=lr)
#### findings
2 manual
#### passed on
from apex.optimizers import FusedAdam
table = {'adam': FusedAdam}
#### findings
2 manual
#### whether it is there
try:
    from apex.optimizers import FusedAdam
except ImportError:
    FusedAdam = None
if FusedAdam is not None:
    pass
