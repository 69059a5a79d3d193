"""Goes on from weights that were saved on a GPU; with an argument, saves them as a GPU would."""

import sys

import torch
from torch import nn

model = nn.Linear(3, 1)
if len(sys.argv) > 1:
    torch.serialization.location_tag = lambda storage: "cuda:0"
    torch.save(model.state_dict(), sys.argv[1])
    sys.exit()
model.load_state_dict(torch.load("pretrained.pt", map_location={"cuda:0": "cuda:0"}))
model.cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    loss = model(torch.ones(2, 3).cuda()).square().mean()
    loss.backward()
    optimizer.step()
