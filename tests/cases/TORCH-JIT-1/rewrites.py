#### CUDA graphs
import torch
model = torch.compile(model, backend="cudagraphs")
#### after
import torch
model = torch.compile(model, backend="npugraphs")
#### findings
2 auto
#### one of two
import torch
model = torch.compile(model, backend='cudagraphs' if fast else 'aot_eager')
#### after
import torch
model = torch.compile(model, backend='npugraphs' if fast else 'aot_eager')
