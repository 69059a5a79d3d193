#### other resources, other programs and remarks
#SBATCH --gres=npu:8
#SBATCH --gres=tmpfs:20G
#SBATCH --constraint=haswell
#SBATCH --gpus-per-nodes-note
# sbatch --gres=gpu:8
python train.py --gpus 8 --gres=gpu:8
echo "--gres=gpu:1"
gcc -C file.c -G 4
