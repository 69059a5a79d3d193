#### only CPUs
import tensorflow as tf
config = tf.ConfigProto(device_count={'CPU': 4})
#### a dictionary that cannot be seen
import tensorflow as tf
config = tf.ConfigProto(device_count=counts)
#### entries from elsewhere
import tensorflow as tf
config = tf.ConfigProto(device_count={'GPU': 1, **counts})
#### a value that does something
import tensorflow as tf
config = tf.ConfigProto(device_count={'GPU': next_number()})
#### reading the count
import tensorflow as tf
config = tf.ConfigProto()
print(config.device_count['GPU'])
#### another object's count
device_count = {}
device_count['GPU'] = 1
#### another function's keyword
import tensorflow as tf
describe(device_count={'GPU': 1})
#### a count that is added to
import tensorflow as tf
config = tf.ConfigProto()
config.device_count['GPU'] += 1
