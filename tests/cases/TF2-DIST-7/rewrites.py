#### set for a cluster
import json
import os
import tensorflow as tf
os.environ['TF_CONFIG'] = json.dumps({'cluster': {'worker': hosts}, 'task': {'type': 'worker', 'index': 0}})
strategy = tf.distribute.get_strategy()
#### after
import json
import os
import tensorflow as tf
strategy = tf.distribute.get_strategy()
#### findings
4 auto
#### dropped
import os
import tensorflow as tf
os.environ.pop('TF_CONFIG', None)
x = tf.constant(1)
#### after
import os
import tensorflow as tf
x = tf.constant(1)
#### findings
3 auto
