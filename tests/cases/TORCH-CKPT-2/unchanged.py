#### a place is given
import torch

a = torch.load(path, map_location='cpu')
b = torch.load(path, device)
c = torch.load(path, map_location=lambda storage, loc: storage)
#### arguments that cannot be seen
import torch

a = torch.load(path, **options)
b = torch.load(*arguments)
#### findings
3 manual
4 manual
#### other functions of the name
import json
import numpy as np
import yaml

a = json.load(f)
b = np.load(path)
c = yaml.load(f)
d = self.load(path)
#### a model from the hub
import torch

model = torch.hub.load('a/b', 'c')
script = torch.jit.load(path)
#### passed on
import torch

read = torch.load
