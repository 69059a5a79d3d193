#!/bin/sh
CUDA_VISIBLE_DEVICES=0 python train.py --config config.yaml --device cuda "$@"
