#### noted without --tune
python main.py
#### findings
1 info
#### all is set
export TASK_QUEUE_ENABLE=1 CPU_AFFINITY_CONF=1 PYTORCH_NPU_ALLOC_CONF=max_split_size_mb:32
python main.py
#### with tune=yes
#### no program of the project
python -m pip install torch
python other.py
echo main.py
#### with tune=yes
#### a stack that does not read these values
python main.py
#### with tune=yes torch_npu=2.1.0
