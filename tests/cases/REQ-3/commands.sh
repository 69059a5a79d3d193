#### images that commands start, and that variables hold
docker run --rm nvcr.io/nvidia/pytorch:23.10-py3 python train.py
srun --container-image=nvcr.io#nvidia/pytorch:24.01-py3 python train.py
IMAGE="org/net:2.1.0_cu121-python3.10"
enroot import -o net.sqsh docker://nvidia/cuda:12.1.0-base-ubuntu22.04
#### findings
1 manual
2 manual
3 manual
4 manual
#### other images and words
docker run python:3.11 python train.py --name cuda
NAME=nvidia/cuda:12
python train.py nvidia/cuda:12
docker build -t net:latest .
