#### the strategy of all GPUs
python3 train.py --distribution_strategy=mirrored --num_gpus=8 --batch_size=256
#### after
python3 train.py --distribution_strategy=one_device --num_gpus=0 --batch_size=256
#### findings
1 auto-check
#### over lines
python run_pretraining.py \
    --num_gpus=1 \
    --distribution_strategy=multi_worker_mirrored
#### after
python run_pretraining.py \
    --num_gpus=0 \
    --distribution_strategy=one_device
#### findings
3 auto-check
