#### modules of CUDA
module load gcc/9 cuda/11.8 cudnn
module load cuda/12.1   # the toolkit
module add nccl
ml cudatoolkit python
#### after
module load gcc/9
source /usr/local/Ascend/ascend-toolkit/set_env.sh   # the toolkit
ml python
#### other modules, other commands
module unload cuda
module purge
module load gcc cudaless
module list cuda
modules load cuda
