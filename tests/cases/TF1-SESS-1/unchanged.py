#### somebody else's Session
import requests as tf
tf.Session()
#### already wrapped
import tensorflow as tf
from npu_bridge.npu_init import npu_config_proto
tf.Session(config=npu_config_proto())
