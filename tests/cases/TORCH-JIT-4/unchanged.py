#### ONNX
import torch
torch.onnx.export(model, x, "m.onnx")
#### findings
2 info
#### torch.export
import torch
from torch.export import export
export(model, (x,))
torch.export.save(p, "m.pt2")
#### findings
3 manual
4 manual
#### other exports
from mylib import export
export(model)
