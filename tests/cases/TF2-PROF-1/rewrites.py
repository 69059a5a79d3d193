#### the default of TensorFlow 2.6
import tensorflow as tf

board = tf.keras.callbacks.TensorBoard(log_dir="logs", histogram_freq=1)
#### after
import tensorflow as tf

board = tf.keras.callbacks.TensorBoard(log_dir="logs", histogram_freq=1, profile_batch=0)
#### findings
3 auto
#### a range of batches
from tensorflow.keras.callbacks import TensorBoard

board = TensorBoard("logs", profile_batch="10,20")
#### after
from tensorflow.keras.callbacks import TensorBoard

board = TensorBoard("logs", profile_batch=0)
#### hidden arguments
import tensorflow as tf

board = tf.keras.callbacks.TensorBoard(**options)
#### findings
3 manual
