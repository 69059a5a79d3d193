#### flags
import torch
torch.backends.cuda.enable_flash_sdp(True)
with torch.backends.cuda.sdp_kernel(enable_math=False):
    pass
#### findings
2 info
3 info
#### questions
import torch
if torch.backends.cuda.flash_sdp_enabled():
    pass
#### findings
2 manual
#### attention itself
import torch.nn.functional as F
F.scaled_dot_product_attention(q, k, v)
