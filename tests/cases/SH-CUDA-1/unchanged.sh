#### several devices
CUDA_VISIBLE_DEVICES=0,1,2,3 python train.py
export CUDA_VISIBLE_DEVICES="0,1"
#### findings
1 manual
2 manual
#### a device the script chooses
CUDA_VISIBLE_DEVICES=$(pick) python train.py
CUDA_VISIBLE_DEVICES=$first,$second python train.py
CUDA_VISIBLE_DEVICES=${gpu:-0} python train.py
#### findings
1 manual
2 manual
3 manual
#### programs kept off GPUs
CUDA_VISIBLE_DEVICES= python prepare.py
CUDA_VISIBLE_DEVICES=-1 python prepare.py
CUDA_VISIBLE_DEVICES="" python prepare.py
#### findings
1 info
2 info
3 info
#### comments, texts and here-documents
# CUDA_VISIBLE_DEVICES=0 python train.py
echo "CUDA_VISIBLE_DEVICES=0 python train.py"
cat <<EOF
export CUDA_VISIBLE_DEVICES=0
EOF
cat <<-'END'
	CUDA_VISIBLE_DEVICES=0 python train.py
	END
#### a script that reads what somebody else sets
n=$(echo $CUDA_VISIBLE_DEVICES | tr ',' '\n' | wc -l)
#### findings
1 manual
#### read and set to several
export CUDA_VISIBLE_DEVICES=0,1
echo $CUDA_VISIBLE_DEVICES
#### findings
1 manual
2 manual
#### one of two is not one device
export CUDA_VISIBLE_DEVICES=0
export CUDA_VISIBLE_DEVICES=0,1
echo $CUDA_VISIBLE_DEVICES
#### findings
1 manual
2 manual
3 manual
#### another variable, an argument
MY_CUDA_VISIBLE_DEVICES=0 python train.py
mpirun -x CUDA_VISIBLE_DEVICES=0 python train.py
unset CUDA_VISIBLE_DEVICES
#### migrated already
ASCEND_DEVICE_ID=0 python train.py
