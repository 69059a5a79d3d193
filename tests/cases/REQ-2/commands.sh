#### packages of commands
pip install torch flash-attn nvidia-nccl-cu12 ninja
conda install -c nvidia pytorch cudatoolkit=11.3 -c pytorch
pip install nvidia-cudnn-cu12
#### after
pip install torch flash-attn ninja
conda install -c nvidia pytorch cpuonly -c pytorch
pip install nvidia-cudnn-cu12
#### with framework=torch frameworks=torch
#### findings
1 manual
1 auto
2 auto
3 manual
