#### installed by commands
conda install pytorch torchvision pytorch-cuda=11.8 -c pytorch -c nvidia
pip install flash-attn nvidia-cudnn-cu12
#### with framework=torch frameworks=torch
#### after
conda install pytorch torchvision cpuonly -c pytorch -c nvidia
pip install flash-attn nvidia-cudnn-cu12
#### findings
1 auto
2 manual
2 manual
