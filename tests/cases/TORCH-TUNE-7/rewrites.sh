#### before the first program, what is set already stays
#!/bin/bash
cd src
torchrun --nproc_per_node=8 \
    main.py --lr 0.1
python3 main.py
#### with tune=yes
#### after
#!/bin/bash
cd src
export TASK_QUEUE_ENABLE="${TASK_QUEUE_ENABLE:-2}"
export CPU_AFFINITY_CONF="${CPU_AFFINITY_CONF:-2}"
export PYTORCH_NPU_ALLOC_CONF="${PYTORCH_NPU_ALLOC_CONF:-expandable_segments:True}"
torchrun --nproc_per_node=8 \
    main.py --lr 0.1
python3 main.py
#### findings
4 auto-check
#### where the script decides otherwise
export ASCEND_LAUNCH_BLOCKING=1
export PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:32
for seed in 1 2; do
    python main.py --seed $seed
done
#### with tune=yes
#### after
export ASCEND_LAUNCH_BLOCKING=1
export PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:32
for seed in 1 2; do
    export CPU_AFFINITY_CONF="${CPU_AFFINITY_CONF:-2}"
    python main.py --seed $seed
done
