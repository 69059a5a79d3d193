#### a limit of the device
import ctypes
import torch
_libcudart = ctypes.CDLL('libcudart.so')
def main():
    _libcudart.cudaDeviceSetLimit(ctypes.c_int(5), ctypes.c_int(128))
#### findings
3 manual
5 info
#### through the loader
from ctypes import cdll
import torch
cdll.LoadLibrary("/usr/local/cuda/lib64/libcublas.so.11")
#### findings
3 manual
#### a library of the project
import ctypes
import torch
lib = ctypes.CDLL("libcudaless.so")
other = ctypes.CDLL(path)
lib.run()
