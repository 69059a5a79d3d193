#### not opened
import npu_device
import tensorflow as tf
npu_device.compat.enable_v1()
sess = tf.compat.v1.Session()
#### no session
import npu_device
import tensorflow as tf
npu_device.open().as_default()
model = tf.keras.Sequential()
#### a session of something else
import npu_device
import requests
npu_device.open().as_default()
session = requests.Session()
