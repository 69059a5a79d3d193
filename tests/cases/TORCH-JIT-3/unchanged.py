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
#### modules that the project builds from CUDA sources
import ext_ops
import torch
from . import roi_ops
from ops.points import knn_ops as knn
try:
    import corr_ops
except ImportError:
    corr_ops = None
import other_ops
#### file setup.py
from setuptools import setup
from torch.utils.cpp_extension import CUDAExtension, CppExtension
setup(ext_modules=[
    CUDAExtension("ext_ops", ["a.cpp", "b.cu"]),
    CUDAExtension(name="pkg.roi_ops", sources=["a.cpp"]),
    make_extension(name="knn_ops", sources=["a.cpp"], cuda=["b.cu"]),
    CUDAExtension("corr_ops", ["c.cu"]),
    CppExtension("other_ops", ["a.cpp"]),
])
#### findings
1 manual
3 manual
4 manual
6 info
#### an extension the program can do without
from torch.utils import cpp_extension
ext = cpp_extension.CUDAExtension("corr_ops", ["corr.cpp", "kernel.cu"])
#### file model.py
try:
    import corr_ops
except ImportError:
    corr_ops = None
#### findings
2 manual
#### an extension behind a module the program can do without
from torch.utils import cpp_extension
ext = cpp_extension.CUDAExtension("corr_ops", ["corr.cpp", "kernel.cu"])
#### file fast.py
import corr_ops
#### file model.py
try:
    from fast import correlate
except ImportError:
    correlate = None
#### findings
2 manual
#### an extension the program needs
from torch.utils import cpp_extension
ext = cpp_extension.CUDAExtension("corr_ops", ["corr.cpp", "kernel.cu"])
#### file fast.py
import corr_ops
#### file model.py
from fast import correlate
#### findings
2 blocker
#### an extension that nothing here builds
import torch
import scaled_softmax_cuda
from fused_ops_cuda import forward
try:
    import fast_cuda
except ImportError:
    fast_cuda = None
from helper_cuda import own
from utils import seed_cuda
import torch.cuda
#### file helper_cuda.py
own = 1
#### findings
2 manual
3 manual
5 info
