#### a variable
python train.py --distribution_strategy=$STRATEGY
#### one device already
python train.py --distribution_strategy=one_device --num_gpus=0
#### off
python train.py --distribution_strategy=off
#### only a number of GPUs
python train.py --num_gpus=8
#### a remark
# python train.py --distribution_strategy=mirrored
#### another program
./train --distribution_strategy=mirrored
