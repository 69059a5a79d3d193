#### tf.keras
from tensorflow.keras.layers import Dense
from tensorflow import keras
import tensorflow.keras.backend as K
#### another package
import keras_tuner
import keras_cv.layers
#### a module of the project
import keras
keras.train()
#### file keras.py
def train():
    pass
