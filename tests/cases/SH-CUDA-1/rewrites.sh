#### an exported device
#!/bin/bash
export CUDA_VISIBLE_DEVICES=0
python train.py
#### after
#!/bin/bash
export ASCEND_DEVICE_ID=0
python train.py
#### findings
2 auto
#### before a command, quoted, in the background
CUDA_VISIBLE_DEVICES="1" python a.py --x=1 &  # first
CUDA_VISIBLE_DEVICES='2' PYTHONPATH=. python b.py
wait
#### after
ASCEND_DEVICE_ID="1" python a.py --x=1 &  # first
ASCEND_DEVICE_ID='2' PYTHONPATH=. python b.py
wait
#### findings
1 auto
2 auto
#### through env and over several lines
env CUDA_VISIBLE_DEVICES=3 \
    python train.py \
    --batch 32
#### after
env ASCEND_DEVICE_ID=3 \
    python train.py \
    --batch 32
#### what reads it follows
export CUDA_VISIBLE_DEVICES=4
echo "device ${CUDA_VISIBLE_DEVICES} of $CUDA_VISIBLE_DEVICES"
# not $CUDA_VISIBLE_DEVICES
#### after
export ASCEND_DEVICE_ID=4
echo "device ${ASCEND_DEVICE_ID} of $ASCEND_DEVICE_ID"
# not $CUDA_VISIBLE_DEVICES
#### inside a block and a substitution
if [ -n "$1" ]; then
  export CUDA_VISIBLE_DEVICES=0
fi
result=$(CUDA_VISIBLE_DEVICES=1 python eval.py)
#### after
if [ -n "$1" ]; then
  export ASCEND_DEVICE_ID=0
fi
result=$(ASCEND_DEVICE_ID=1 python eval.py)
#### the first of the devices that the script is given
CUDA_VISIBLE_DEVICES=$1 python train.py
CUDA_VISIBLE_DEVICES=${gpu} time python train.py  # one
CUDA_VISIBLE_DEVICES="$gpu" python train.py
#### after
ASCEND_DEVICE_ID=${1%%,*} python train.py
ASCEND_DEVICE_ID=${gpu%%,*} time python train.py  # one
ASCEND_DEVICE_ID="${gpu%%,*}" python train.py
#### findings
1 auto-check
2 auto-check
3 auto-check
#### for the whole script
export CUDA_VISIBLE_DEVICES=$1
python train.py
#### after
export ASCEND_DEVICE_ID=${1%%,*}
python train.py
#### findings
1 auto-check
