#### datasets
import tensorflow as tf
import tensorflow_datasets as tfds
#### none
import tensorflow as tf
