#!/bin/sh
# four cards, 128 images each
python train.py --model functional --gpus 4 --batch_size 512 --epochs 10
