#### numpy's names for Python's types
import numpy as np
import torch
a = np.zeros(8, dtype=np.int)
b = x.astype(np.float)
c = np.bool
#### with fix_drift=yes
#### after
import numpy as np
import torch
a = np.zeros(8, dtype=int)
b = x.astype(float)
c = bool
#### pictures and collections
import collections
import torch
from PIL import Image
x = image.resize((8, 8), Image.ANTIALIAS)
y = isinstance(z, collections.Iterable)
#### with fix_drift=yes
#### after
import collections
import torch
from PIL import Image
x = image.resize((8, 8), Image.LANCZOS)
y = isinstance(z, collections.abc.Iterable)
#### infinity
import torch
from torch._six import inf
#### with fix_drift=yes
#### after
import torch
from math import inf
