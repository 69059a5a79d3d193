#### none were requested
import npu_device
npu_device.open().as_default()
#### set already
import npu_device
from npu_options import set_global_options
set_global_options()
npu_device.open().as_default()
#### with npu.precision_mode=allow_mix_precision
#### not opened
import npu_device
import tensorflow as tf
npu_device.compat.enable_v1()
#### with npu.precision_mode=allow_mix_precision
#### another open
import tensorflow as tf
file = open('a')
#### with npu.precision_mode=allow_mix_precision
#### set already, with the module in the project
import npu_device
from npu_options import set_global_options
set_global_options()
npu_device.open().as_default()
#### file npu_options.py
def set_global_options():
    pass
#### with npu.precision_mode=allow_mix_precision
