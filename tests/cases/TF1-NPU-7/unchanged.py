#### the functions by name
import tensorflow as tf
from atlasboost.tensorflow.mpi_ops import init, local_rank, set_device_id
#### findings
2 manual
#### the module
import atlasboost.tensorflow.mpi_ops as atlasboost
#### findings
1 manual
#### a module of a similar name
import atlasboosting
#### in a string
import tensorflow as tf
name = "atlasboost"
