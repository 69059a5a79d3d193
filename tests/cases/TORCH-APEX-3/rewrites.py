#### a layer
import torch
from apex.normalization import FusedLayerNorm
norm = FusedLayerNorm(hidden, eps=1e-12)
#### after
import torch
from apex.normalization import FusedLayerNorm
norm = torch.nn.LayerNorm(hidden, eps=1e-12)
#### findings
3 auto
#### the class is passed on and inherited from
import torch
import apex as amp
layer = amp.normalization.FusedLayerNorm
class Norm(amp.normalization.FusedLayerNorm):
    pass
#### after
import torch
import apex as amp
layer = torch.nn.LayerNorm
class Norm(torch.nn.LayerNorm):
    pass
#### the module that defines it
import torch
from apex.normalization.fused_layer_norm import FusedLayerNorm as LayerNorm
norm = LayerNorm(8)
#### after
import torch
from apex.normalization.fused_layer_norm import FusedLayerNorm as LayerNorm
norm = torch.nn.LayerNorm(8)
#### the root mean square adds what it always added
import torch
from apex.normalization import FusedRMSNorm
a = FusedRMSNorm(8)
b = FusedRMSNorm(8, 1e-6)
#### after
import torch
from apex.normalization import FusedRMSNorm
a = torch.nn.RMSNorm(8, eps=1e-05)
b = torch.nn.RMSNorm(8, 1e-6)
