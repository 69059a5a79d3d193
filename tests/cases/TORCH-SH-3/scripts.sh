#### paths of CUDA make way
export CUDA_HOME=/usr/local/cuda
export PATH=$CUDA_HOME/bin:$PATH
export LD_LIBRARY_PATH=/usr/local/cuda/lib64:/usr/local/cudnn/lib:$LD_LIBRARY_PATH
python train.py
#### after
source /usr/local/Ascend/ascend-toolkit/set_env.sh
python train.py
#### findings
1 auto-check
2 auto-check
3 auto-check
#### loaded already
source /usr/local/Ascend/ascend-toolkit/set_env.sh
export CUDA_HOME=/usr/local/cuda
python main.py
#### after
source /usr/local/Ascend/ascend-toolkit/set_env.sh
python main.py
#### findings
2 auto-check
#### a path the script needs
export CUDA_HOME=/usr/local/cuda
$CUDA_HOME/bin/nvcc kernel.cu
#### findings
1 info
#### a program of the project
python main.py --lr 0.1
#### with entry=main.py
#### findings
1 info
#### other paths and other programs
export PATH=/opt/tools/bin:$PATH
export LD_LIBRARY_PATH=/usr/local/cuda/lib64:/opt/mkl/lib
python other.py
