#### losses and errors
import torch
total += loss.data[0]
print(self.loss_G.data[0], errD.data[0])
#### with fix_drift=yes
#### after
import torch
total += loss.item()
print(self.loss_G.item(), errD.item())
#### findings
2 auto
3 auto
3 auto
