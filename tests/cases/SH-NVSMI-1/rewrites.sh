#### a bare call
nvidia-smi
until /usr/bin/nvidia-smi; do sleep 1; done
nvidia-smi > gpus.txt
#### after
npu-smi info
until npu-smi info; do sleep 1; done
npu-smi info > gpus.txt
#### findings
1 auto
2 auto
3 auto
#### a test before something else
if nvidia-smi; then
    python train.py
else
    echo "no gpu"
fi
#### after
if npu-smi info; then
    python train.py
else
    echo "no gpu"
fi
