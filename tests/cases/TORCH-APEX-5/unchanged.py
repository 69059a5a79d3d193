#### still used
import torch
from apex import amp
amp.initialize(model)
#### findings
2 manual
#### a flag says whether it is there
import torch
try:
    from apex import amp
    has_apex = True
except ImportError:
    has_apex = False
#### findings
3 info
#### a package of the project's
from mylib.apex import amp
#### a relative import
from .apex import amp
#### another file uses it from here
import torch
from apex import amp
#### file other.py
from main import amp
amp.initialize(m)
#### findings
2 manual
#### everything at once
from apex.optimizers import *
#### findings
1 manual
#### a name that begins so
import apexpy
#### still used, but the file can do without
import torch
try:
    from apex.optimizers import FusedLAMB
except ImportError:
    FusedLAMB = None
optimizer = FusedLAMB(params)
#### findings
3 info
