#### a script that is run
import npu_device
import tensorflow as tf
#### used
import npu_device as npu
import tensorflow as tf


def reduce(x):
    return npu.distribute.all_reduce(x)
#### with entry=train.py
#### another file takes it from here
import npu_device
import tensorflow as tf
#### with entry=train.py
#### file train.py
from main import npu_device

npu_device.open().as_default()
#### a name of it
from npu_device import open as open_npu
import tensorflow as tf
#### with entry=train.py
