#!/bin/bash
export CUDA_VISIBLE_DEVICES=0,1,2,3
export TF_CPP_MIN_LOG_LEVEL=2
python train_multi_gpu.py --num_gpus=4 --batch_size=128 --max_steps=2000 2>&1 | tee train.log
