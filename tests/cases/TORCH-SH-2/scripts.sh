#### the environment is read
python -m torch.distributed.launch --use_env --nproc_per_node=8 train.py --lr 0.1
CUDA=1 python3 -m torch.distributed.launch --nproc_per_node=$N --use-env train.py
#### after
torchrun --nproc_per_node=8 train.py --lr 0.1
CUDA=1 torchrun --nproc_per_node=$N train.py
#### the program gets --local_rank
python -m torch.distributed.launch --nproc_per_node=8 train.py
#### findings
1 info
#### torchrun, and other modules
torchrun --nproc_per_node=8 train.py
python -m torch.distributed.run --nproc_per_node=8 train.py
python -m other.launch --use_env train.py
# python -m torch.distributed.launch --use_env train.py
