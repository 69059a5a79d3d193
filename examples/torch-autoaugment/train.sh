#!/bin/bash
# one GPU; several are used through DataParallel
export CUDA_VISIBLE_DEVICES=0
export CUDA_LAUNCH_BLOCKING=0

nvidia-smi || true

python train.py \
    --name wrn-10-1-aa \
    --epochs 2 \
    --batch-size 32 \
    --auto-augment True \
    --cutout True "$@"
