#### a pod name
export RANK_ID=npu8p
#### findings
1 manual
#### a rank that is none
export RANK_SIZE=1
export RANK_ID=1
#### findings
2 manual
#### a table for more devices
export RANK_SIZE=1
export RANK_TABLE_FILE=/data/hccl_8p.json
#### findings
2 manual
#### what agrees
export RANK_SIZE=8
export RANK_TABLE_FILE=../config/8p.json
export RANK_ID=0
#### what the script computes
export RANK_SIZE=$n
export RANK_ID=$((base + i))
export RANK_TABLE_FILE=$table
#### one process after another
for i in 0 1; do RANK_ID=$i RANK_SIZE=2 python train.py & done
#### sizes that differ
RANK_SIZE=1 RANK_ID=0 python a.py
RANK_SIZE=8 RANK_ID=7 python b.py
#### comments and texts
# export RANK_ID=npu8p
echo RANK_ID=npu8p
