#### profilers and monitors
nsys profile -o report python train.py
srun --ntasks=1 nsys profile python train.py
/usr/local/cuda/bin/ncu --set full python train.py
dcgmi dmon &
#### findings
1 manual
2 manual
3 manual
4 manual
