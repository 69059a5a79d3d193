#### commands that install it
pip install torch==2.1.0+cu118 "torchvision==0.16.0+cu118" -f https://example.org/whl/cu118
pip3 install 'torch>=2.0' tqdm
#### after
pip install torch==2.1.0 torch-npu==2.1.0.post17 "torchvision==0.16.0" -f https://example.org/whl/cpu
pip3 install 'torch>=2.0' torch-npu tqdm
#### nothing to install
python train.py torch
echo torch==2.1.0+cu118
#### the index of CUDA builds, nightly and in the place of the usual one
pip install numpy --pre torch \
    --index-url https://download.example.org/whl/nightly/cu118
#### after
pip install numpy --pre torch torch-npu \
    --extra-index-url https://download.example.org/whl/nightly/cpu
#### findings
1 auto-check
2 auto
#### conda has no torch-npu
conda install pytorch==2.1.0 torchvision
#### findings
1 manual
#### other indexes, and an index from a variable
pip install flashinfer -i https://flashinfer.ai/whl/cu126/torch2.6/
pip install torchao -f https://download.pytorch.org/whl/cu113/torch_stable.html
pip install --pre torch --index-url ${INDEX}
#### after
pip install flashinfer -i https://flashinfer.ai/whl/cu126/torch2.6/
pip install torchao -f https://download.pytorch.org/whl/cpu/torch_stable.html
pip install --pre torch torch-npu --extra-index-url ${INDEX}
#### what belongs to a torch that stays
pip install torch==1.7.1+cu110 torchvision==0.8.2+cu110
#### findings
1 manual
