#!/bin/bash
set -e
export CUDA_VISIBLE_DEVICES=0
[ -e data/train.tfrecords ] || python write_tfrecords.py --save_dir data
python train.py -d data -s model "$@"
