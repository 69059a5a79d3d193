#!/bin/sh
CUDA_VISIBLE_DEVICES=${GPU:-0} python train.py \
    --dataset_dir=data \
    --batch_size=32 \
    --use_loss_scale=true
