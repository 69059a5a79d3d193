#!/bin/bash
# One parameter server and two workers on this machine, one GPU each.
PS=localhost:24220
WORKERS=localhost:24221,localhost:24222
ARGS="--ps_hosts=$PS --worker_hosts=$WORKERS --num_gpus=1 --train_dir=train_logs"

rm -rf train_logs
CUDA_VISIBLE_DEVICES='' python train.py $ARGS --job_name=ps --task_index=0 &
PS_PID=$!
CUDA_VISIBLE_DEVICES=0 python train.py $ARGS --job_name=worker --task_index=0 "$@" &
CHIEF_PID=$!
# a worker that comes before the chief is ready sleeps 30 s, so wait for the first checkpoint
while [ ! -e train_logs/checkpoint ] && kill -0 $CHIEF_PID 2>/dev/null; do sleep 0.2; done
CUDA_VISIBLE_DEVICES=1 python train.py $ARGS --job_name=worker --task_index=1 "$@" &
WORKER_PID=$!

wait $CHIEF_PID
STATUS=$?
wait $WORKER_PID || STATUS=1
kill $PS_PID     # it would wait for ever
exit $STATUS
