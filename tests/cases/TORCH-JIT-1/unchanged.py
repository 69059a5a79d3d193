#### inductor
import torch
model = torch.compile(model)
other = torch.compile(model, mode="reduce-overhead")
third = torch.compile(model, backend="inductor")
#### findings
2 manual
3 manual
4 manual
#### a decorator
import torch
@torch.compile
def f(x):
    return x
@torch.compile(dynamic=True)
def g(x):
    return x
#### findings
2 manual
5 manual
#### backends an NPU has
import torch
torch.compile(model, backend="npugraphs")
torch.compile(model, backend="aot_eager")
#### regular expressions
import re
import torch
re.compile("torch.compile")
model.compile(optimizer)
#### a text
import torch
print("backend=cudagraphs")
#### another library
import jax
jax.compile(f, backend="cudagraphs")
#### an option
import torch
parser.add_argument("--compile", action="store_true")
#### a local name
def f(torch):
    return torch.compile(g)
