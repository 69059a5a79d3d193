#### the accuracy function of many projects
import torch
correct = pred.eq(target.view(1, -1).expand_as(pred))
for k in topk:
    correct_k = correct[:k].view(-1).float().sum(0)  # top k
#### with fix_drift=yes
#### after
import torch
correct = pred.eq(target.view(1, -1).expand_as(pred))
for k in topk:
    correct_k = correct[:k].reshape(-1).float().sum(0)  # top k
#### findings
4 auto
