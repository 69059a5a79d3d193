#!/bin/bash
NP=${NP:-8}
nvidia-smi --query-gpu=name,memory.used --format=csv
horovodrun -np $NP -H localhost:$NP python train.py --steps 2400
# two servers:
# horovodrun -np 16 -H server1:8,server2:8 python train.py --steps 4800
