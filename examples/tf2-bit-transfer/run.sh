#!/bin/bash
export CUDA_VISIBLE_DEVICES=0
python train.py --epochs=3 --batch_size=16
