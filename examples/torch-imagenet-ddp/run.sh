#!/usr/bin/env bash
set -e
export CUDA_VISIBLE_DEVICES=${CUDA_VISIBLE_DEVICES:-0,1}
export NCCL_DEBUG=WARN
export NCCL_SOCKET_IFNAME=lo

python main.py --multiprocessing-distributed --world-size 1 --rank 0 \
    --dist-url tcp://127.0.0.1:23456 --dist-backend nccl \
    --epochs 2 --batch-size 32 "$@"
