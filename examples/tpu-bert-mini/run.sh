#!/bin/bash
export CUDA_VISIBLE_DEVICES=0
python run_classifier.py \
  --do_train=true --do_eval=true --do_predict=true \
  --train_batch_size=32 --learning_rate=2e-3 --num_train_steps=150 \
  --use_tpu=false --output_dir=output
