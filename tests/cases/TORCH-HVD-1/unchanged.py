#### the gradients of several passes
import torch
import horovod.torch as hvd
hvd.init()
optimizer = hvd.DistributedOptimizer(optimizer, named_parameters=model.named_parameters(), backward_passes_per_step=4)
#### findings
3 manual
4 manual
#### another sum
import torch
import horovod.torch as hvd
hvd.init()
x = hvd.allreduce(x, op=hvd.Sum)
#### findings
3 manual
4 manual
4 manual
#### something without an equal
import torch
import horovod.torch as hvd
hvd.init()
hvd.join()
#### findings
3 manual
4 manual
#### another file cannot be rewritten
import torch
import horovod.torch as hvd
hvd.init()
#### file other.py
import torch
import horovod.torch as hvd
def last():
    hvd.join()
#### findings
3 manual
#### names one by one
import torch
from horovod.torch import rank, size
print(rank(), size())
#### findings
2 manual
2 manual
3 manual
3 manual
#### a part of the model is read
import torch
import horovod.torch as hvd
hvd.init()
model = Net()
optimizer = hvd.DistributedOptimizer(optimizer, named_parameters=model.named_parameters())
print(model.fc.weight)
#### findings
3 manual
5 manual
#### Horovod for TensorFlow belongs to other rules
import torch
import horovod.tensorflow as hvd
hvd.init()
#### something else of that name
import torch
from mylib import hvd
hvd.init()
#### the word in a text
import torch
print('horovod')
#### whether it is there
import torch
try:
    import horovod.torch as hvd
except ImportError:
    hvd = None
if hvd is not None:
    hvd.init()
#### findings
3 manual
7 manual
