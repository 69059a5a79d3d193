#### 32 bits, and numpy on the host
import torch
import numpy as np
a = torch.zeros(1, dtype=torch.float32)
b = np.zeros(3, dtype=np.float64)
#### something of the user's
import torch
card.double()
class Bet:
    def double(self):
        return self
Bet().double()
