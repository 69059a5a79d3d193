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
#### parentheses stay where they are needed
import torch
total = (loss_a + loss_b).data[0] + loss_a.mean().data[0]
#### with fix_drift=yes
#### after
import torch
total = (loss_a + loss_b).item() + loss_a.mean().item()
