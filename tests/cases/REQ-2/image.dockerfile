#### packages an image installs
FROM python:3.7
RUN HOROVOD_GPU_ALLREDUCE=NCCL pip install horovod==0.19 scipy
RUN pip install numpy
#### findings
2 manual
