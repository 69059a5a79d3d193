#!/bin/bash
set -e
nvidia-smi
export CUDA_VISIBLE_DEVICES=0
python train.py --steps 100 --batch_size 64
