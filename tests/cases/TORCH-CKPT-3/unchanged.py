#### a whole model
import torch

model = torch.load(path)
model.eval()
other = torch.load(path, map_location='cpu').to(device)
third = torch.load(path)
print(third(x))
#### findings
3 manual
5 manual
6 manual
#### the options of a run
import torch

state = torch.load(path, map_location='cpu')
args = state['args']
more = torch.load(path)
config = more.get('config')
#### findings
3 possible
5 possible
#### saved by the program itself
import torch

torch.save({'model': model.state_dict(), 'args': args}, path)
model.load_state_dict(torch.load(path)['model'])
#### findings
4 possible
#### somebody decided
import torch

model = torch.load(path, weights_only=False)
model.eval()
#### tensors
import torch

state = torch.load(path)
model.load_state_dict(state['model'])
print(state.keys(), state['epoch'], state.get('best'))
#### a variable with several values
import torch

state = torch.load(path)
state = Model()
state.eval()
#### findings
3 possible
#### arguments that cannot be seen
import torch

model = torch.load(path, **options)
model.eval()
#### another load
import joblib

model = joblib.load(path)
model.eval()
#### options that are plain
import torch

torch.save({'model': model.state_dict(), 'config': {'depth': 3}}, path)
model.load_state_dict(torch.load(path)['model'])
#### several values in one file
import torch

model, optimizer = torch.load(path)
model.train()
#### findings
3 possible
#### options that are saved through a variable, and by a function of the program's own
import torch

def keep(config, path):
    state = {'model': net.state_dict(), 'config': config}
    save_on_first_rank(state, path)

state = torch.load(path, map_location='cpu')
net.load_state_dict(state['model'])
#### findings
7 possible
#### options that are plain
import torch

def keep(config, path):
    state = {'model': net.state_dict(), 'config': vars(config)}
    torch.save(state, path)

net.load_state_dict(torch.load(path)['model'])
#### an object of the program's own that is made or loaded
import os
import torch
from data import Corpus
if os.path.exists(path):
    corpus = torch.load(path, map_location='cpu')
else:
    corpus = Corpus(words)
    torch.save(corpus, path)
#### file data.py
class Corpus:
    def __init__(self, words):
        self.words = words
#### findings
5 possible
