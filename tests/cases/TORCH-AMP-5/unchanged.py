#### reported once
import torch
with torch.autocast('npu', dtype=torch.bfloat16):
    x = x.to(torch.bfloat16)
#### findings
2 info
#### the file asks
import torch
dtype = torch.bfloat16 if torch.cuda.is_bf16_supported() else torch.float16
#### other types
import torch
x = x.to(torch.float16)
#### a word in a text
import torch
print('bfloat16')
#### somebody else's type
import torch
import jax.numpy as jnp
y = jnp.bfloat16
