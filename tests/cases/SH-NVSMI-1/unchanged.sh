#### arguments and parsed output
nvidia-smi -L
count=$(nvidia-smi --query-gpu=name --format=csv,noheader | wc -l)
names=`nvidia-smi -q`
nvidia-smi | grep GeForce
watch -n 1 nvidia-smi
#### findings
1 manual
2 manual
3 manual
4 manual
5 manual
#### comments, texts and names
# nvidia-smi
echo "run nvidia-smi"
cat nvidia-smi.txt
cat <<EOF
nvidia-smi
EOF
#### the NPU's tool
npu-smi info
#### a test for GPUs before something for GPUs
if nvidia-smi > /dev/null 2>&1; then
    install_dcgm
fi
if command -v nvidia-smi; then pip install cupy-cuda12x; fi
#### findings
1 manual
4 manual
