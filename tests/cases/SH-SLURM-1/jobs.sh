#### directives
#!/bin/bash
#SBATCH --nodes=2
#SBATCH --gres=gpu:8
#SBATCH --gpus-per-node=8   # all of them
#SBATCH --gres=gpu:a100:4,tmpfs:20G
srun python train.py
#### after
#!/bin/bash
#SBATCH --nodes=2
#SBATCH --gres=npu:8
##SBATCH --gpus-per-node=8   # all of them
#SBATCH --gres=npu:4,tmpfs:20G
srun python train.py
#### findings
3 auto-check
4 auto-check
5 auto-check
#### GPUs of a node alone
#SBATCH --gpus-per-node=a100:8
#### after
#SBATCH --gres=npu:8
#### findings
1 auto-check
#### commands
sbatch --gres=gpu:2 job.sh
srun --gres gpu:$N --ntasks=$N python train.py
#### after
sbatch --gres=npu:2 job.sh
srun --gres npu:$N --ntasks=$N python train.py
#### what Slurm has for gpu only
#SBATCH --gpus-per-task=1
#SBATCH --gpus=16
#SBATCH --gpu-bind=none
#SBATCH --constraint=a100
srun -G 4 python train.py
#### findings
1 manual
2 manual
3 manual
4 manual
5 manual
