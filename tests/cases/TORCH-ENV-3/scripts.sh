#### lines go, the program stays
export NCCL_DEBUG=INFO
export NCCL_IB_DISABLE=1 OMP_NUM_THREADS=4
python train.py
#### after
export OMP_NUM_THREADS=4
python train.py
#### findings
1 auto
2 auto
#### what the script reads stays
export NCCL_P2P_DISABLE=1
echo $NCCL_P2P_DISABLE
#### findings
1 info
#### a variable that Megatron asks for
export CUDA_DEVICE_MAX_CONNECTIONS=1
#### after
#### findings
1 auto-check
