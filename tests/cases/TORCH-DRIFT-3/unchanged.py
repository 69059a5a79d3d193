#### reported unless requested
import torch
total += loss.data[0]
#### findings
2 manual
#### no loss
import torch
first = images.data[0]
loss.data[0] = 1
row = loss.data[0].sum()
x = loss.data[1]
#### volatile
import torch
from torch.autograd import Variable
x = Variable(images, volatile=True)
y = Variable(images)
#### findings
3 manual
