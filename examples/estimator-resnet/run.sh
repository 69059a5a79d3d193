#!/usr/bin/env bash
# usage: ./run.sh [number of GPUs]
NUM_GPUS=${1:-1}
if [ "$NUM_GPUS" -gt 1 ]; then
    export CUDA_VISIBLE_DEVICES=$(seq -s, 0 $((NUM_GPUS - 1)))
else
    export CUDA_VISIBLE_DEVICES=0
fi
export TF_ENABLE_AUTO_MIXED_PRECISION=1
python train.py --num_gpus=$NUM_GPUS --batch_size=$((32 * NUM_GPUS)) --model_dir=model
