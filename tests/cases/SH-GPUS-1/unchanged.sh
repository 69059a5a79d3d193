#### several GPUs for one process
python train.py --num_gpus=8
python3 train.py \
  --num_gpus 4 --x
python train.py --num-gpus=$N
./train.py --gpus=-1
#### findings
1 manual
3 manual
4 manual
5 manual
#### one or none
python train.py --num_gpus=1
python train.py --num_gpus 0
#### other flags
python train.py --gpu_memory=8 --batch=4
python train.py --gpu 0
#### other programs
docker run --gpus 2 image
echo --num_gpus=8
# python train.py --num_gpus=8
#### a variable of the script
num_gpus=8
#### flags of the model garden, which a rule of its own rewrites
python train.py --distribution_strategy=mirrored --num_gpus=8
#### with framework=tensorflow2 frameworks=tensorflow2
#### one device of the model garden, and several GPUs
python train.py --distribution_strategy=one_device --num_gpus=8
#### with framework=tensorflow2 frameworks=tensorflow2
#### findings
1 manual
