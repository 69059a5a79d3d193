#### variables everybody reads
export PATH=/usr/local/cuda/bin:$PATH
export LD_LIBRARY_PATH=/usr/local/cuda/lib64:$LD_LIBRARY_PATH
export CUDA_HOME=/usr/local/cuda
export TF_CPP_MIN_LOG_LEVEL=2
export TF_CONFIG='{}'
#### the variables of NPUs
export HCCL_CONNECT_TIMEOUT=600
export ASCEND_DEVICE_ID=0
#### the device is another rule's business
export CUDA_VISIBLE_DEVICES=0
#### a variable the script reads
export NCCL_DEBUG=INFO
echo "level $NCCL_DEBUG"
#### findings
1 info
#### a value that runs something
export NCCL_SOCKET_IFNAME=$(ip route | awk '{print $5}')
#### findings
1 info
#### comments, texts, here-documents and arguments
# export NCCL_DEBUG=INFO
echo 'export NCCL_DEBUG=INFO'
cat > env.sh <<EOF
export NCCL_DEBUG=INFO
EOF
mpirun -x NCCL_DEBUG=INFO python train.py
python train.py NCCL_DEBUG=INFO
#### taking it out
unset NCCL_DEBUG
#### a variable that only sounds alike
export MY_NCCL_DEBUG=1
export CUDA=1
#### a name that CUDA does not know
export CUDA_DEVICES_OF_MINE=1
#### where NCCL is installed
export NCCL_HOME=/usr/local/nccl
