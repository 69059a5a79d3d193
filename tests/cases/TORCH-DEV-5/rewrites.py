#### by getattr of what is PyTorch's
import torch

x = torch.zeros(3)
getattr(x, 'cuda')()
if hasattr(x, "is_cuda"):
    pass
backend = getattr(torch, 'cuda')
#### after
import torch

x = torch.zeros(3)
getattr(x, 'npu')()
if hasattr(x, "is_npu"):
    pass
backend = getattr(torch, 'npu')
#### findings
4 auto
5 auto
7 auto
#### by methodcaller
import operator
from operator import attrgetter, methodcaller

import torch

a = map(operator.methodcaller('cuda'), xs)
b = map(methodcaller("cuda", non_blocking=True), xs)
c = map(attrgetter('is_cuda'), xs)
#### after
import operator
from operator import attrgetter, methodcaller

import torch

a = map(operator.methodcaller('npu'), xs)
b = map(methodcaller("npu", non_blocking=True), xs)
c = map(attrgetter('is_npu'), xs)
#### findings
6 auto-check
7 auto-check
8 auto-check
