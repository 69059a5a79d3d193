#### a value nobody may compute twice
import torch

state = torch.load(path, map_location={'cuda:0': next(places)})
#### findings
3 info
#### both are there
import torch

state = torch.load(path, map_location={'cuda:0': 'npu:1', 'npu:0': 'npu:1'})
other = torch.load(path, map_location={'cuda:%d' % 0: 'npu:1', 'npu:%d' % 0: 'npu:1'})
#### what an NPU wrote goes there anyway
import torch

state = torch.load(path, map_location={'cuda:0': 'npu:0'})
#### the switch translates the keys too
import torch

state = torch.load(path, map_location={'cuda:0': 'cuda:1'})
#### with style=transfer
#### findings
3 manual
#### tables of the program's own
import torch

names = {'cuda:0': 'first'}
print(names['cuda:0'])
#### other forms
import torch

a = torch.load(path, map_location='cpu')
b = torch.load(path, map_location=lambda storage, loc: storage)
c = torch.load(path, map_location=torch.device('cpu'))
#### another load
import json

state = json.load(path, map_location={'cuda:0': 'cuda:1'})
