#### lines go, remarks stay
#!/bin/bash
export NCCL_DEBUG=INFO
export TF_XLA_FLAGS="--tf_xla_auto_jit=2"  # faster
export HOROVOD_FUSION_THRESHOLD=1;
TF_FORCE_GPU_ALLOW_GROWTH=true
export PATH=/opt/bin:$PATH
python train.py
#### after
#!/bin/bash
# faster
export PATH=/opt/bin:$PATH
python train.py
#### findings
2 auto
3 auto
4 auto
5 auto
#### words go
NCCL_DEBUG=INFO TF_GPU_THREAD_MODE=gpu_private OMP_NUM_THREADS=4 python train.py
export A=1 NCCL_DEBUG=INFO NCCL_IB_DISABLE=1
export NCCL_DEBUG=INFO B=2
#### after
OMP_NUM_THREADS=4 python train.py
export A=1
export B=2
#### findings
1 auto
1 auto
2 auto
2 auto
3 auto
#### a block keeps a command
if [ "$debug" ]; then
  export NCCL_DEBUG=INFO
  export NCCL_DEBUG_SUBSYS=ALL
fi
for i in 1 2; do export NCCL_DEBUG=INFO; done
set_up() { export NCCL_DEBUG=INFO; }
#### after
if [ "$debug" ]; then
  :
fi
for i in 1 2; do :; done
set_up() { :; }
#### a block with something else
if [ "$debug" ]; then
  export NCCL_DEBUG=INFO
  echo debug
fi
#### after
if [ "$debug" ]; then
  echo debug
fi
#### a list keeps a command
cd src && export NCCL_DEBUG=INFO && python train.py
export NCCL_DEBUG=INFO || true
#### after
cd src && : && python train.py
: || true
#### several commands on a line
export NCCL_DEBUG=INFO; export A=1; python train.py
cd src; export NCCL_DEBUG=INFO
#### after
export A=1; python train.py
cd src; :
#### a branch of case
case $1 in
  a) export NCCL_DEBUG=INFO ;;
  b)
    export NCCL_DEBUG=WARN
    ;;
esac
#### after
case $1 in
  a) : ;;
  b)
    ;;
esac
#### mixed precision has a mode of its own
export TF_ENABLE_AUTO_MIXED_PRECISION=1
export TF_ENABLE_AUTO_MIXED_PRECISION_LOSS_SCALING=0
#### after
#### findings
1 auto-check
2 auto
#### variables of containers and of cuBLAS
export NVIDIA_VISIBLE_DEVICES=all
export CUBLAS_WORKSPACE_CONFIG=:4096:8
export NCCL_TIMEOUT=600
#### after
#### findings
1 auto
2 auto-check
3 auto-check
