#### torch's own
import torch
norm = torch.nn.LayerNorm(8)
#### another library's
from mylib.normalization import FusedLayerNorm
norm = FusedLayerNorm(8)
#### a class of the project
class FusedLayerNorm:
    pass
norm = FusedLayerNorm()
#### the function
from apex.normalization.fused_layer_norm import fused_layer_norm_affine
y = fused_layer_norm_affine(x, w, b, shape)
#### findings
2 manual
#### an argument torch does not know
from apex.normalization import FusedLayerNorm
norm = FusedLayerNorm(8, memory_efficient=True)
#### findings
2 manual
#### a root mean square that is passed on
from apex.normalization import FusedRMSNorm
layer = FusedRMSNorm
#### findings
2 manual
#### in a message
import torch
print('apex.normalization.FusedLayerNorm')
#### the import alone belongs to another rule
from apex.normalization import FusedLayerNorm
