#### around a block
import torch
with torch.autograd.profiler.emit_nvtx():
    # the epochs
    train()
#### after
import torch
# the epochs
train()
#### findings
2 auto-check
#### switched by an option
import torch
def main(profile):
    with torch.autograd.profiler.emit_nvtx(enabled=profile):
        for x in data:
            step(x)
#### after
import torch
def main(profile):
    for x in data:
        step(x)
