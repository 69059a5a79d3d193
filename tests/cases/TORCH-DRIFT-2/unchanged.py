#### reported unless requested
import numpy as np
import torch
a = np.zeros(8, dtype=np.int)
#### findings
3 manual
#### functions and modules that are gone
import torch
from torch._six import string_classes
from collections import Iterable
values, vectors = torch.symeig(x)
#### findings
2 manual
3 manual
4 manual
#### names that are still there
import collections
import numpy as np
import torch
a = np.int64(1), np.float32(2), np.bool_(True)
b = collections.OrderedDict(), collections.abc.Iterable
c = torch.linalg.eigh(x)
#### a name of the user's in the way
import numpy as np
import torch
def f(int):
    return np.int
#### with fix_drift=yes
#### an import that is expected to fail
try:
    from torch._six import inf
except ImportError:
    from torch import inf
#### a transform that does not say what it gives
import torch
a = torch.stft(x, 1024, window=window)
b = torch.stft(x, 1024, return_complex=True)
c = torch.stft(x, **options)
#### findings
2 manual
#### a module that newer Pythons lack
import torch
from distutils.util import strtobool
import imp
#### findings
2 manual
3 manual
#### a module that the Pythons of an older torch_npu have
import torch
from distutils.util import strtobool
import imp
#### with torch_npu=2.4.0.post4
#### what torchtext 0.12 removed
import torch
from torchtext import data
from torchtext.datasets import TranslationDataset
from torchtext.legacy import datasets
field = data.Field()
sets = TranslationDataset(path)
#### findings
3 manual
4 manual
5 manual
#### what torchtext has
import torch
from torchtext.data.utils import get_tokenizer
from torchtext.datasets import Multi30k
#### a scheduler that reports, before PyTorch 2.7
import torch
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 2, verbose=True)
#### with torch_npu=2.6.0
#### what has a next() of its own, and may not be a loader's iterator
import torch
prefetcher = DataPrefetcher(torch.utils.data.DataLoader(data))
images = prefetcher.next()
batch = batches.next()
batches = iter(rows)
row = batches.next(0)
