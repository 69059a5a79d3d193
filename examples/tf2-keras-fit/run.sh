#!/bin/sh
export CUDA_VISIBLE_DEVICES=0
python train.py --epochs 10 --batch_size 64
