#### torch's own scaler loads its own state
import torch
scaler = torch.amp.GradScaler('npu')
scaler.load_state_dict(checkpoint['scaler'])
#### a model
import torch
model = torch.nn.Linear(1, 1)
model.load_state_dict(checkpoint['model'])
#### an optimizer
import torch
optimizer = torch.optim.Adam(p)
optimizer.load_state_dict(checkpoint['optimizer'])
#### done by hand
import torch
scaler = torch.npu.amp.GradScaler()
scaler.load_state_dict({'dynamic': True, **checkpoint['scaler']})
#### the state of a scaler of this program
import torch
a = torch.npu.amp.GradScaler()
b = torch.npu.amp.GradScaler()
b.load_state_dict(a.state_dict())
#### the name alone is not enough to rewrite
import torch
def resume(checkpoint, loss_scaler):
    loss_scaler.load_state_dict(checkpoint['scaler'])
#### findings
3 possible
#### another name is not even looked at
import torch
def resume(checkpoint, thing):
    thing.load_state_dict(checkpoint['scaler'])
#### saving needs nothing
import torch
scaler = torch.npu.amp.GradScaler()
state = {'scaler': scaler.state_dict()}
