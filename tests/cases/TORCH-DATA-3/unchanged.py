#### on a GPU
import torch
from torchvision.io import decode_jpeg

a = decode_jpeg(data, device='cuda')
b = decode_jpeg(data, device=device)
#### findings
4 manual
5 manual
#### on the CPU
from torchvision.io import decode_jpeg

a = decode_jpeg(data)
b = decode_jpeg(data, device='cpu')
#### something else
from library import decode_jpeg

a = decode_jpeg(data, device='cuda')
