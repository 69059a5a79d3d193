#### the pieces lie in two functions
import torch
from apex import amp
def main():
    model, optimizer = amp.initialize(model, optimizer, opt_level="O1")
    train(model, optimizer)
def train(model, optimizer):
    loss = model(x)
    with amp.scale_loss(loss, optimizer) as scaled_loss:
        scaled_loss.backward()
    optimizer.step()
#### findings
4 manual
8 manual
#### only sometimes, by two conditions
import torch
from apex import amp
if args.fp16:
    model, optimizer = amp.initialize(model, optimizer, opt_level="O1")
loss = model(x)
if args.half:
    with amp.scale_loss(loss, optimizer) as scaled_loss:
        scaled_loss.backward()
else:
    loss.backward()
optimizer.step()
#### findings
4 manual
7 manual
#### the other branch does something else
import torch
from apex import amp
if args.fp16:
    model, optimizer = amp.initialize(model, optimizer, opt_level="O1")
loss = model(x)
if args.fp16:
    with amp.scale_loss(loss, optimizer) as scaled_loss:
        scaled_loss.backward()
else:
    (loss * 2).backward()
optimizer.step()
#### findings
4 manual
7 manual
#### only the loss is scaled sometimes
import torch
from apex import amp
model, optimizer = amp.initialize(model, optimizer, opt_level="O1")
loss = model(x)
if args.fp16:
    with amp.scale_loss(loss, optimizer) as scaled_loss:
        scaled_loss.backward()
else:
    loss.backward()
optimizer.step()
#### findings
3 manual
6 manual
#### an option whose level is another
import torch
from apex import amp
parser.add_argument('--level', default='O0')
model, optimizer = amp.initialize(model, optimizer, opt_level=args.level)
loss = model(x)
with amp.scale_loss(loss, optimizer) as scaled_loss:
    scaled_loss.backward()
optimizer.step()
#### findings
4 manual
6 manual
#### a level that cannot be read
from apex import amp
model, optimizer = amp.initialize(model, optimizer, opt_level=args.level)
loss = model(x)
with amp.scale_loss(loss, optimizer) as scaled_loss:
    scaled_loss.backward()
optimizer.step()
#### findings
2 manual
4 manual
#### two losses
from apex import amp
[a, b], [o, p] = amp.initialize([a, b], [o, p], opt_level='O1', num_losses=2)
la = a(x)
with amp.scale_loss(la, o, loss_id=0) as s:
    s.backward()
o.step()
#### findings
2 manual
4 manual
#### the state is saved as well
from apex import amp
model, optimizer = amp.initialize(model, optimizer, opt_level='O1')
loss = model(x)
with amp.scale_loss(loss, optimizer) as s:
    s.backward()
optimizer.step()
save(amp.state_dict())
#### findings
2 manual
4 manual
7 manual
#### two steps
from apex import amp
model, optimizer = amp.initialize(model, optimizer, opt_level='O1')
loss = model(x)
with amp.scale_loss(loss, optimizer) as s:
    s.backward()
if odd:
    optimizer.step()
else:
    optimizer.step()
#### findings
2 manual
4 manual
#### only a model
from apex import amp
model = amp.initialize(model, opt_level='O1')
#### findings
2 manual
#### functions with a type of their own
from apex import amp
import torch
amp.register_half_function(torch, 'einsum')
@amp.float_function
def f(x):
    return x
#### findings
3 manual
4 manual
#### torch's amp
from torch_npu.npu import amp
with amp.autocast():
    pass
#### a module of the project
from mylib import amp
model, optimizer = amp.initialize(model, optimizer)
