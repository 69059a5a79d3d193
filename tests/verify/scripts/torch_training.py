"""Trains in the ways that a capture has to see: scaled, accumulated, by two optimizers."""

import torch
from torch import nn

torch.manual_seed(1)
model = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Linear(8, 1)).cuda()
critic = torch.compile(nn.Linear(1, 1).cuda())
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
second = torch.optim.Adam(critic.parameters())
scaler = torch.cuda.amp.GradScaler(init_scale=1024.0)
x = torch.randn(16, 4, device="cuda")

for _ in range(3):
    for part in x.split(8):
        loss = model(part).square().mean()
        scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    optimizer.zero_grad()

    score = critic(model(x).detach())
    score.backward(torch.ones_like(score))
    second.step()

print("last loss", loss.item())
torch.save({"state": nn.DataParallel(model).state_dict(), "epoch": 3}, "model.pt")
