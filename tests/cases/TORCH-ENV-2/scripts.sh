#### exports
export NCCL_SOCKET_IFNAME=eth0
echo ${NCCL_SOCKET_IFNAME}
CUDA_LAUNCH_BLOCKING=1 python train.py
#### after
export HCCL_SOCKET_IFNAME=eth0
echo ${HCCL_SOCKET_IFNAME}
ASCEND_LAUNCH_BLOCKING=1 python train.py
#### a remark
# export NCCL_SOCKET_IFNAME=eth0
python train.py
