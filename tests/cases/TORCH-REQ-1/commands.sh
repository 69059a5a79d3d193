#### commands that install it
pip install torch==2.1.0+cu118 "torchvision==0.16.0+cu118" -f https://example.org/whl/cu118
pip3 install 'torch>=2.0' tqdm
#### after
pip install torch==2.1.0 torch-npu==2.1.0 "torchvision==0.16.0" -f https://example.org/whl/cpu
pip3 install 'torch>=2.0' torch-npu tqdm
#### nothing to install
python train.py torch
echo torch==2.1.0+cu118
