#### a setup script
from torch.utils.cpp_extension import BuildExtension, CUDAExtension
ext = CUDAExtension("ops", ["ops.cpp", "kernel.cu"])
#### findings
1 manual
2 blocker
#### loaded at run time
from torch.utils.cpp_extension import load, load_inline
a = load("ops", ["a.cpp", "b.cu"])
b = load("ops", ["a.cpp"])
c = load("ops", sources)
d = load_inline("ops", cpp, cuda_sources=[text])
e = load_inline("ops", cpp)
#### findings
2 blocker
4 manual
5 blocker
#### choosing
import torch
from torch.utils import cpp_extension
if torch.cuda.is_available() and cpp_extension.CUDA_HOME is not None:
    build = cpp_extension.CUDAExtension
#### findings
3 manual
4 manual
#### C++ only
from torch.utils.cpp_extension import CppExtension, BuildExtension
CppExtension("ops", ["a.cpp"])
#### loading something else
import torch
torch.load("model.cu")
