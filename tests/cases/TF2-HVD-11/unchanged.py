#### mpi4py
import tensorflow as tf
from mpi4py import MPI
#### with distributed=horovod
#### findings
2 manual
#### two texts
import os
import tensorflow as tf
distributed = 'OMPI_COMM_' 'WORLD_SIZE' in os.environ
#### with distributed=horovod
#### without Horovod
import os
import tensorflow as tf
distributed = 'OMPI_COMM_WORLD_SIZE' in os.environ
#### a variable of NPUs
import os
import tensorflow as tf
size = os.environ['RANK_SIZE']
#### with distributed=horovod
