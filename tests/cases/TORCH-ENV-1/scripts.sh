#### before a command, exported, and read again
export CUDA_VISIBLE_DEVICES=0,1,2,3
CUDA_VISIBLE_DEVICES=$1 python train.py
n=$(echo $CUDA_VISIBLE_DEVICES | tr ',' '\n' | wc -l)
#### after
export ASCEND_RT_VISIBLE_DEVICES=0,1,2,3
ASCEND_RT_VISIBLE_DEVICES=$1 python train.py
n=$(echo $ASCEND_RT_VISIBLE_DEVICES | tr ',' '\n' | wc -l)
#### findings
1 auto
2 auto-check
3 auto
#### out of order
CUDA_VISIBLE_DEVICES=3,1 python train.py
#### after
ASCEND_RT_VISIBLE_DEVICES=1,3 python train.py
#### findings
1 auto-check
#### a remark, and another variable
# CUDA_VISIBLE_DEVICES=0
MY_CUDA_VISIBLE_DEVICES=0 python train.py
echo 'CUDA_VISIBLE_DEVICES=1'
#### cards named by something else
CUDA_VISIBLE_DEVICES=GPU-8932f937 python train.py
#### findings
1 manual
