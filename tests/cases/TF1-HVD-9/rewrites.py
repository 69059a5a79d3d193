#### a choice by how Horovod was built
import horovod.tensorflow as hvd
lr_scaler = 8 if adasum and hvd.nccl_built() else 1
#### after
import horovod.tensorflow as hvd
lr_scaler = 8 if adasum and False else 1
#### findings
2 auto-check
#### an if statement
import horovod.tensorflow.keras as hvd
scale = 1.0
if hvd.nccl_built():  # GPU collectives
    scale = 8.0
#### after
import horovod.tensorflow.keras as hvd
scale = 1.0
if False:  # GPU collectives
    scale = 8.0
#### findings
3 auto-check
#### the negated question
import horovod.tensorflow as hvd
kind = 'host' if not hvd.mpi_enabled() else 'mpi'
#### after
import horovod.tensorflow as hvd
kind = 'host' if not False else 'mpi'
#### findings
2 auto-check
