#### read
import json
import os
import tensorflow as tf
index = json.loads(os.environ['TF_CONFIG'])['task']['index']
#### findings
4 manual
#### set to what a function computes
import os
import tensorflow as tf
os.environ['TF_CONFIG'] = make_cluster()
#### findings
3 manual
#### another variable
import os
import tensorflow as tf
os.environ['TF_CPP_MIN_LOG_LEVEL'] = '2'
#### a dictionary of another kind
import tensorflow as tf
settings = {}
settings['TF_CONFIG'] = 1
