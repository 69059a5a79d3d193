#### the build
import torch
if torch.backends.cuda.is_built():
    run()
#### after
import torch
if torch.npu.is_available():
    run()
#### findings
2 auto-check
#### under an alias
import torch as th
ok = th.backends.cuda.is_built()
#### after
import torch as th
ok = th.npu.is_available()
